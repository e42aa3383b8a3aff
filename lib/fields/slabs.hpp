// Slabs: a uniform grid in slabs over the parts of a run, or in boxes (slabs that are cut along y too, in 2D along x),
// how fields on it lie in memory, and the exchange of what neighbors need of each other. All fields of one kind share
// it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "lib/fields/slab_layout.hpp"
#include "lib/fields/uniform_grid.hpp"
#include "mpi/box_partition.hpp"
#include "mpi/halo/halo.hpp"

namespace halocline {

/// A distance of rows in values: a whole multiple of `multiple`, at least `extent`, and no multiple of 4 KiB, where
/// rows would compete for the same sets of a cache.
Index slab_pitch(Index extent, Index multiple, std::size_t value_bytes);

struct SlabRules {
  Index halo = 0;           // rows (planes) of ghosts beyond either end of a part's own; as many where boxes are cut
  bool periodic = false;    // along the slow axis: the first part and the last one are neighbors
  bool periodic_y = false;  // likewise along y (in 2D: x), where that is cut
  bool across = true;       // in boxes ghosts beyond both axes at once are exchanged; stencils along axes read none
  bool also_alone = false;  // a periodic axis that one part holds as a whole has its ghosts exchanged too
  Index pitch = 0;          // values from row to row; 0: slab_pitch() of whole cache lines
  int fields = 1;           // whose ghosts are exchanged at once, in one message to each neighbor
};

/// T: double or float.
template <class T>
class Slabs {
 public:
  /// `partition`: of the rows (planes) of the slow axis; `comm` and `team` outlive this. Collective.
  Slabs(const Communicator& comm, const Team& team, const Partition& partition, const UniformGrid& grid,
        const SlabRules& rules);
  /// In boxes, or slabs of one column. In 2D columns end at whole pieces of lines. Collective.
  Slabs(const Communicator& comm, const Team& team, const BoxPartition& boxes, const UniformGrid& grid,
        const SlabRules& rules);

  const Communicator& comm() const { return comm_; }
  const Team& team() const { return team_; }
  /// Of rows (planes) of the slow axis: in slabs one block for each part, in boxes for each layer of parts.
  const Partition& partition() const { return boxes_.z(); }
  const BoxPartition& boxes() const { return boxes_; }
  const UniformGrid& grid() const { return grid_; }
  int parts() const { return team_.parts(); }  // of this rank
  const SlabLayout& layout(int part) const { return layouts_[static_cast<std::size_t>(part)]; }
  /// Global rows (planes) of a part of this rank.
  Range<1> rows(int part) const { return boxes_.planes(team_.first_part() + part); }
  /// Global box of a part of this rank, axes x, y, z.
  Range<3> block(int part) const;
  /// Own rows (planes) of a part, and `more` <= halo of each of its neighbors.
  SlabRows rows_with(int part, Index more) const;
  /// The same along y (in 2D: x) too, where that is cut.
  SlabBox box_with(int part, Index more) const;
  /// Own rows (planes) of a part that lie `reach` <= halo rows or more from those of neighbors; lo == hi: none, as in
  /// boxes.
  SlabRows inner_rows(int part, Index reach) const;
  /// Whether parts have neighbors, that is, need exchanges.
  bool open() const { return halo_ != nullptr; }
  /// Values that a field of a part takes, ghosts and a margin at either end included; its unknown (0, 0, 0) is number
  /// origin(part) of them.
  Index size(int part) const;
  Index origin(int part) const;
  /// From a field to the next one of a group, a whole multiple of 128 bytes.
  Index stride(int part) const;
  int fields() const { return fields_; }

  /// Fills ghosts of one field, or of a group of them, from the neighbors' own rows, in two halves, so that work may
  /// run in between; nothing without neighbors. data[part]: unknown (0, 0, 0), of the first field of a group, see
  /// SlabField::together(); may be of another field when the exchange is finished. One exchange at a time. Allocates
  /// nothing.
  void start_exchange(std::span<const T* const> data);
  void finish_exchange(std::span<T* const> data);
  /// Sent by this rank to others.
  Traffic traffic() const { return halo_ ? halo_->sent() : Traffic{}; }

 private:
  Links links(const SlabRules& rules) const;
  const Communicator& comm_;
  const Team& team_;
  BoxPartition boxes_;
  UniformGrid grid_;
  bool periodic_, periodic_y_;
  int fields_;
  std::vector<SlabLayout> layouts_;
  std::unique_ptr<Halo<T>> halo_;
  std::vector<View<const T, 1>> owned_;  // of the exchange under way
  std::vector<View<T, 1>> ghosts_;
};

}  // namespace halocline
