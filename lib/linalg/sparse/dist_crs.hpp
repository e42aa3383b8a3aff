// DistCrs: a sparse matrix in fp64 whose rows are distributed over parts, for set-up.
//
// Entries of a row are stored in ascending order of their columns. Columns are local numbers of the part: ghosts below
// its own columns, own ones, ghosts above (see ghosts.hpp).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "lib/linalg/sparse/crs.hpp"
#include "lib/linalg/sparse/ghosts.hpp"
#include "lib/linalg/sparse/global_rows.hpp"
#include "lib/linalg/sparse/rows.hpp"
#include "mpi/halo/links.hpp"

namespace halocline::sparse {

// Rows of one part with local columns, and what these mean.
struct LocalRows {
  Crs<double> rows;
  Ghosts ghosts;
};

class DistCrs {
 public:
  // From the rows of every part of this rank, as many as rows->own(part). Where all who hold rows hold all columns
  // there are no ghosts. Rows and columns share communicator and team. Collective. Columns that do not exist, or more
  // than 2^31 - 1 own and ghost columns of a part, are a defect.
  DistCrs(RowSpacePtr rows, RowSpacePtr columns, std::vector<GlobalRows> of_parts);
  // The same from rows whose columns are local already. Collective.
  DistCrs(RowSpacePtr rows, RowSpacePtr columns, std::vector<LocalRows> of_parts);

  const RowSpace& rows() const { return *rows_; }
  const RowSpace& columns() const { return *columns_; }
  const RowSpacePtr& rows_pointer() const { return rows_; }
  const RowSpacePtr& columns_pointer() const { return columns_; }
  const Team& team() const { return rows_->team(); }
  Index entries() const { return entries_; }  // of all rows, each counted once

  // Of a part, counted within the rank.
  const Ghosts& ghosts(int part) const { return parts_[static_cast<std::size_t>(part)].ghosts; }
  Index local_columns(int part) const { return columns_->own_size(part) + ghosts(part).size(); }
  CrsView<double> view(int part) const { return parts_[static_cast<std::size_t>(part)].rows.view(); }
  // For new values of the same pattern.
  View<double, 1> values(int part) { return parts_[static_cast<std::size_t>(part)].rows.val.view(); }

  // Whether parts may have ghosts; the same on all ranks.
  bool has_ghosts() const;
  // Links that bring values of ghost columns from the parts that own them. Positions are local numbers of columns. Made
  // by the first call, which is collective.
  const Links& ghost_links() const;
  // The same with `shift` of each part added to the positions. Collective.
  Links ghost_links(std::span<const Index> shift) const;

 private:
  void count_entries();

  RowSpacePtr rows_, columns_;
  std::vector<LocalRows> parts_;
  Index entries_ = 0;
  mutable std::shared_ptr<const Links> links_;
};

}  // namespace halocline::sparse
