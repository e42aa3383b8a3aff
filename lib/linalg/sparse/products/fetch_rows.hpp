// RowFetch: whole rows of a matrix brought from their owners to parts that need them for products. Rows are never sent
// in parts and added, which would make sums depend on the partition. The plan is kept: new values come without columns.
#pragma once

#include <memory>
#include <vector>

#include "lib/linalg/sparse/dist_crs.hpp"
#include "mpi/halo/halo.hpp"

namespace halocline::sparse {

class RowFetch {
 public:
  // `needed`: for every part of this rank, numbers of rows of `b` that others own, ascending; empty lists where the
  // rows are replicated. Collective.
  RowFetch(const DistCrs& b, const std::vector<std::vector<Index>>& needed);
  // Rows of `b` that are ghosts of `a`, whose columns are owned as these rows. Collective.
  RowFetch(const DistCrs& b, const DistCrs& a);
  // The values of the same rows, of a matrix of the same pattern. Collective.
  void again(const DistCrs& b);

  // The rows that were needed, in their order. Columns are numbered anew, for these rows and the part's own together:
  // ghosts(part) says what the local numbers mean.
  CrsView<double> view(int part) const { return of(part).rows.view(); }
  const Ghosts& ghosts(int part) const { return of(part).ghosts; }
  // The part's own rows of `b` in that numbering.
  CrsView<double> own(const DistCrs& b, int part) const;

 private:
  struct Part {
    Crs<double> rows;
    Ghosts ghosts;
    Array<LocalIndex, 1> own_col;  // of the part's own rows; empty where they keep their numbers
  };
  void fetch(const DistCrs& b, const std::vector<std::vector<Index>>& needed, const Links& links, bool alone);
  const Part& of(int part) const { return parts_[static_cast<std::size_t>(part)]; }
  void number_columns(const DistCrs& b, int part, const Array<Index, 1>& fetched);

  std::vector<Part> parts_;
  std::unique_ptr<Halo<double>> values_;  // null where nothing travels
};

// For every part of this rank the numbers of its ghosts.
std::vector<std::vector<Index>> ghost_rows(const DistCrs& a);

}  // namespace halocline::sparse
