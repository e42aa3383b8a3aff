// HeldRows: a matrix whose parts have rows of others too, behind their own ones, so that they form what these rows give
// without asking their owners. Entries stand in the order of the owner's, and give the same bits.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/linalg/sparse/products/fetch_rows.hpp"

namespace halocline::sparse {

class HeldRows {
 public:
  // The rows of others are the ghosts of `user`, whose columns are owned as the rows of `a`. Ghosts are those of `a`,
  // those that these rows refer to, and where rows are columns these rows themselves. Collective.
  HeldRows(const DistCrs& a, const DistCrs& user);
  // The values of the same rows, of a matrix of the same pattern. Collective.
  void again(const DistCrs& a);

  // Of a part the own rows, then `others`.
  const DistCrs& matrix() const { return *matrix_; }
  const std::vector<Index>& others(int part) const { return others_[static_cast<std::size_t>(part)]; }
  // Which of them come first where they are sorted by falling length. Waits for the device.
  std::vector<LocalIndex> by_length(int part) const;

 private:
  LocalRows joined(const DistCrs& a, int part) const;

  std::vector<std::vector<Index>> others_;
  RowFetch fetch_;
  std::unique_ptr<DistCrs> matrix_;
};

// The rows of `a`, with room for all ghosts of `like`, which has the same columns. Collective.
DistCrs with_ghosts_of(const DistCrs& a, const DistCrs& like);

// The local number of a ghost.
inline LocalIndex local_number(const DistCrs& a, int part, Index ghost) {
  const Ghosts& ghosts = a.ghosts(part);
  const Index at = std::lower_bound(ghosts.rows.begin(), ghosts.rows.end(), ghost) - ghosts.rows.begin();
  require(at < ghosts.size() && ghosts.rows[static_cast<std::size_t>(at)] == ghost, "local_number: no such ghost");
  return static_cast<LocalIndex>(at < ghosts.below ? at : at + a.columns().own_size(part));
}

}  // namespace halocline::sparse
