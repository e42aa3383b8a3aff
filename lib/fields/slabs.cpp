#include "lib/fields/slabs.hpp"

#include <algorithm>

#include "lib/base/error.hpp"
#include "mpi/halo/box_links.hpp"

namespace halocline {

namespace {

template <class T>
constexpr Index cache_line = 64 / static_cast<Index>(sizeof(T));

// Before the first value and behind the last, for kernels that read a little beside rows: a line of a GPU's caches, so
// that what its threads read beside each other begins with one.
template <class T>
constexpr Index margin = 128 / static_cast<Index>(sizeof(T));

Index whole(Index count, Index of) { return (count + of - 1) / of * of; }

// Columns of memory for the ghosts at either end of a row; kernels touch whole vectors of values, which may be a little
// more.
template <class T>
Index room_beside(const SlabLayout& slab) {
  return slab.fringe > 0 ? whole(slab.fringe + 4, margin<T>) : 0;
}

// The rows of a part with its ghosts, of all fields of a group from the first one's on; `before`: values in the other
// fields.
template <class T>
View<T, 1> with_ghosts(T* data, const SlabLayout& slab, Index before) {
  return View<T, 1>(data - slab.origin(), before + slab.values());
}

// A part holds `own` of the axis next to the slow one, and as many ghosts as along that.
void cut_across(SlabLayout& slab, const Range<1>& own) {
  const bool deep = slab.dimensions == 3;
  require(deep || own.lo[0] % line_piece == 0, "Slabs: a line is cut inside of a piece");
  slab.extent[deep ? 1 : 0] = own.size();
  (deep ? slab.first_row : slab.first_column) = own.lo[0];
  (deep ? slab.rim : slab.fringe) = slab.halo;
}

// The same positions in every field of a group.
void repeat(IndexSet& set, int fields, Index stride) {
  require(set.list.empty() && set.extent[1] == 1, "Slabs: links are no runs of rows");
  set.extent[1] = fields;
  set.stride[1] = stride;
}

}  // namespace

Index slab_pitch(Index extent, Index multiple, std::size_t value_bytes) {
  Index pitch = (extent + multiple - 1) / multiple * multiple;
  if (pitch * static_cast<Index>(value_bytes) % 4096 == 0) pitch += multiple;
  return pitch;
}

template <class T>
Slabs<T>::Slabs(const Communicator& comm, const Team& team, const Partition& partition, const UniformGrid& grid,
                const SlabRules& rules)
    : Slabs(comm, team, BoxPartition::slabs(grid.dimensions == 3 ? grid.extent[1] : 1, partition), grid, rules) {}

template <class T>
Slabs<T>::Slabs(const Communicator& comm, const Team& team, const BoxPartition& boxes, const UniformGrid& grid,
                const SlabRules& rules)
    : comm_(comm),
      team_(team),
      boxes_(boxes),
      grid_(grid),
      periodic_(rules.periodic),
      periodic_y_(rules.periodic_y),
      fields_(rules.fields) {
  const int slow = grid.slow_axis();
  const bool deep = grid.dimensions == 3;
  require(boxes.parts() == team.total_parts(), "Slabs: the rows are not shared out to these parts");
  require(partition().count() == grid.extent[slow] && boxes.y().count() == (deep                  ? grid.extent[1]
                                                                            : boxes.cut_along_y() ? grid.extent[0]
                                                                                                  : 1),
          "Slabs: the partition is not one of the grid's rows");
  for (int p = 0; p < team.parts(); ++p) {
    SlabLayout slab;
    slab.dimensions = grid.dimensions;
    std::copy(grid.extent, grid.extent + 3, slab.extent);
    slab.extent[slow] = rows(p).size();
    slab.halo = rules.halo;
    slab.first = rows(p).lo[0];
    if (boxes.cut_along_y()) cut_across(slab, boxes.rows(team.first_part() + p));
    const Index beside = 2 * room_beside<T>(slab);
    slab.pitch = rules.pitch > 0 ? rules.pitch : slab_pitch(slab.extent[0] + beside, cache_line<T>, sizeof(T));
    require(slab.pitch >= slab.extent[0] + beside, "Slabs: rows overlap");
    slab.plane = slab.pitch * (slab.extent[1] + 2 * slab.rim);
    layouts_.push_back(slab);
  }
  const bool neighbors = boxes.parts() > 1 || (rules.periodic && rules.also_alone);
  if (!neighbors || rules.halo == 0) return;
  Links all = links(rules);
  if (fields_ > 1)
    for (int p = 0; p < team.parts(); ++p)
      for (Link& link : all[static_cast<std::size_t>(p)])
        repeat(link.send, fields_, stride(p)), repeat(link.recv, fields_, stride(p));
  halo_ = std::make_unique<Halo<T>>(comm, team, all);
}

template <class T>
Links Slabs<T>::links(const SlabRules& rules) const {
  if (!boxes_.cut_along_y())
    return slab_links(partition(), team_, layout(0).slow_stride(), static_cast<int>(rules.halo), rules.periodic);
  std::vector<BoxMemory> memory;
  for (const SlabLayout& slab : layouts_)
    memory.push_back(grid_.dimensions == 3
                         ? BoxMemory{slab.extent[1], slab.extent[2], slab.pitch, slab.plane, slab.halo, slab.rim}
                         : BoxMemory{slab.extent[0], slab.extent[1], 1, slab.pitch, slab.halo, slab.fringe});
  return box_links(boxes_, team_, memory, {rules.periodic_y, rules.periodic, rules.across});
}

template <class T>
Range<3> Slabs<T>::block(int part) const {
  const SlabLayout& slab = layout(part);
  Range<3> block{};
  for (int axis = 0; axis < 3; ++axis) {
    block.lo[axis] = slab.first_along(axis);
    block.hi[axis] = block.lo[axis] + slab.extent[axis];
  }
  return block;
}

template <class T>
SlabRows Slabs<T>::rows_with(int part, Index more) const {
  const Range<1> own = rows(part);
  const bool cut = open() && (boxes_.cut_along_z() || !boxes_.cut_along_y());  // one part may be its own neighbor
  const bool below = cut && (periodic_ || own.lo[0] > 0), above = cut && (periodic_ || own.hi[0] < partition().count());
  return {below ? -more : 0, own.size() + (above ? more : 0)};
}

template <class T>
SlabBox Slabs<T>::box_with(int part, Index more) const {
  SlabBox box = layout(part).box(rows_with(part, more));
  if (!boxes_.cut_along_y()) return box;
  const Range<1> own = boxes_.rows(team_.first_part() + part);
  SlabRows& across = grid_.dimensions == 3 ? box.along_y : box.along_x;
  if (periodic_y_ || own.lo[0] > 0) across.lo -= more;
  if (periodic_y_ || own.hi[0] < boxes_.y().count()) across.hi += more;
  return box;
}

template <class T>
SlabRows Slabs<T>::inner_rows(int part, Index reach) const {
  const SlabRows with = rows_with(part, reach);
  const Index own = rows(part).size();
  if (boxes_.cut_along_y()) return {own, own};
  const Index lo = std::min(own, -with.lo);
  return {lo, std::max(lo, 2 * own - with.hi)};
}

template <class T>
Index Slabs<T>::size(int part) const {
  return origin(part) - layout(part).origin() + layout(part).values() + margin<T>;
}

template <class T>
Index Slabs<T>::origin(int part) const {
  return margin<T> + layout(part).origin() - layout(part).fringe + room_beside<T>(layout(part));
}

template <class T>
Index Slabs<T>::stride(int part) const {
  return whole(size(part), margin<T>);
}

template <class T>
void Slabs<T>::start_exchange(std::span<const T* const> data) {
  if (!halo_) return;
  owned_.clear();
  for (int p = 0; p < parts(); ++p) {
    const Index before = (fields_ - 1) * stride(p);
    owned_.push_back(with_ghosts(data[static_cast<std::size_t>(p)], layout(p), before));
  }
  halo_->start(owned_);
}

template <class T>
void Slabs<T>::finish_exchange(std::span<T* const> data) {
  if (!halo_) return;
  ghosts_.clear();
  for (int p = 0; p < parts(); ++p) {
    const Index before = (fields_ - 1) * stride(p);
    ghosts_.push_back(with_ghosts(data[static_cast<std::size_t>(p)], layout(p), before));
  }
  halo_->finish(ghosts_);
}

template class Slabs<double>;
template class Slabs<float>;

}  // namespace halocline
