// RowGroups: rows that belong together, such as those of a grid line or of a node, each group given whole to the part
// in whose rows it begins.
#pragma once

#include <vector>

#include "lib/linalg/sparse/rows.hpp"
#include "lib/problems/sparse/sources/file/data_file.hpp"
#include "mpi/halo/halo.hpp"

namespace halocline::sparse {

class RowGroups {
 public:
  // Groups of `size` rows each. Collective.
  RowGroups(const RowSpacePtr& rows, Index size);

  Range<1> own(int part) const { return groups_[static_cast<std::size_t>(part)].own; }
  // Values of the part's groups, one after the other: `values` from `first` on.
  struct Gathered {
    Array<double, 1> values;
    Index first = 0;
    const double* data() const { return values.view().data + first; }
  };
  // Brings the rest of every part's last group from the parts behind. Collective.
  std::vector<Gathered> gather(const PartValues& values) const;

 private:
  struct Groups {
    Range<1> own;
    Index ghosts = 0;  // rows of other parts that belong to the last of them
  };
  RowSpacePtr rows_;
  Index size_;
  std::vector<Groups> groups_;
  Links links_;
};

}  // namespace halocline::sparse
