// The rows of the next level: whose they are, what they were on the finest level, and matrices that every part holds.
#pragma once

#include <span>
#include <vector>

#include "lib/amg/setup/ghost_exchange.hpp"
#include "lib/amg/setup/point_layout.hpp"

namespace halocline::amg {

// Rows of the next level where they were found: from every part of all ranks from starts[q] on, and the end; of two
// starts alone where all parts hold all rows.
sparse::RowSpacePtr rows_as_found(const sparse::RowSpace& fine, std::vector<Index> starts);

// Rows that become rows of the next level, numbered in their order.
class CoarseNumbers {
 public:
  // `kind`: of local columns; those of kind `coarse` get numbers. Collective.
  CoarseNumbers(const sparse::DistCrs& a, const LocalValues<PointKind>& kind);

  // Of local columns of a part, counted within the rank; -1 where there is none.
  const Index* of_rows(int part) const { return number_.data(part); }
  const Index* of_own_rows(int part) const { return number_.own(part); }
  std::vector<Index> on_host(int part) const { return number_.to_host(part); }

  Index rows() const { return first_.back(); }  // of the next level
  // These rows where they were chosen.
  sparse::RowSpacePtr space(const sparse::RowSpace& fine) const { return rows_as_found(fine, first_); }

 private:
  LocalValues<Index> number_;
  std::vector<Index> first_;  // from every part of all ranks, and the end; from one where all parts hold all rows
};

// `rows` rows cut anew at multiples of 4096, so that loads stay even and small levels live on few parts. `weights`: of
// all parts. `most`: only so many first parts get any.
sparse::RowSpacePtr distributed_rows(const sparse::RowSpace& fine, Index rows, std::span<const double> weights,
                                     int most);
// The same rows, all of them on each of so many first parts.
sparse::RowSpacePtr replicated_rows(const sparse::RowSpace& distributed, int holders);

// Numbers that rows of `fine` have there, given to the parts that own them as rows `chosen` of `coarse`. Collective.
std::vector<Array<Index, 1>> of_coarse_rows(const sparse::DistCrs& fine, const CoarseNumbers& chosen,
                                            const std::vector<Array<Index, 1>>& numbers,
                                            const sparse::RowSpace& coarse);

// Values of own rows given to the parts that own them, or hold all of them, in another space of the same rows; parts
// that hold all give nothing. T: Index or double. Collective.
template <class T>
std::vector<Array<T, 1>> moved(const sparse::RowSpace& from, const std::vector<Array<T, 1>>& values,
                               const sparse::RowSpace& to);

// All rows of a square matrix for every part that is to hold them. `rows`: replicated_rows() of those of `a`.
// Collective.
sparse::DistCrs replicated(const sparse::DistCrs& a, const sparse::RowSpacePtr& rows);
// A matrix whose columns are held, or shared out, in another way. Collective.
sparse::DistCrs with_columns(const sparse::DistCrs& a, const sparse::RowSpacePtr& columns);

}  // namespace halocline::amg
