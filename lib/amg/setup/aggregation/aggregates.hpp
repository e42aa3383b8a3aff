// Aggregates: sets of rows that become one row, or a few, of the next level, around roots that are a maximal set of
// rows more than two strong couplings apart (Bell, Dalton, Olson, SIAM J. Sci. Comput. 34, 2012).
//
// Ties are decided by a hash of the number that a row had on the finest level, and aggregates cross parts: the result
// is the same on any partition.
#pragma once

#include <optional>
#include <vector>

#include "lib/amg/setup/coarse_rows.hpp"
#include "lib/amg/setup/strength.hpp"

namespace halocline::amg {

class Aggregates {
 public:
  // `strength`: of the couplings of `a`. `numbers`: for every part, of own rows: the number of each on the finest
  // level. They ascend. Collective.
  Aggregates(const sparse::DistCrs& a, const Strength& strength, const std::vector<Array<Index, 1>>& numbers);

  // Aggregates are numbered as their roots are.
  const CoarseNumbers& roots() const { return *roots_; }
  Index count() const { return roots_->rows(); }
  // Of own rows of a part, counted within the rank: the aggregate; -1: none, since the row is coupled to nothing.
  const Index* of_own_rows(int part) const { return aggregate_[static_cast<std::size_t>(part)].view().data; }
  std::vector<Index> on_host(int part) const { return aggregate_[static_cast<std::size_t>(part)].to_host(); }
  // `coarse` for roots, `fine` for the other rows of aggregates, `isolated`.
  const PointKind* own_kinds(int part) const { return kind_.own(part); }
  int rounds() const { return rounds_; }

 private:
  class Rounds;
  void join(const sparse::DistCrs& a, const Strength& strength);

  LocalValues<PointKind> kind_;  // of own rows alone
  std::optional<CoarseNumbers> roots_;
  std::vector<Array<Index, 1>> aggregate_;
  int rounds_ = 0;
};

}  // namespace halocline::amg
