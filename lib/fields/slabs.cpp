#include "lib/fields/slabs.hpp"

#include <algorithm>

#include "lib/base/error.hpp"

namespace halocline {

namespace {

template <class T>
constexpr Index cache_line = 64 / static_cast<Index>(sizeof(T));

// Before the first value and behind the last, for kernels that read a little beside rows: a line of a GPU's caches, so
// that what its threads read beside each other begins with one.
template <class T>
constexpr Index margin = 128 / static_cast<Index>(sizeof(T));

// The rows of a part with its ghosts, of all fields of a group from the first one's on; `before`: values in the other
// fields.
template <class T>
View<T, 1> with_ghosts(T* data, const SlabLayout& slab, Index before) {
  return View<T, 1>(data - slab.halo * slab.slow_stride(),
                    before + (slab.slow_extent() + 2 * slab.halo) * slab.slow_stride());
}

// The same positions in every field of a group.
void repeat(IndexSet& set, int fields, Index stride) {
  require(set.list.empty() && set.extent[0] == 1 && set.extent[1] == 1, "Slabs: links are no runs of rows");
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
    : comm_(comm), team_(team), partition_(partition), grid_(grid), periodic_(rules.periodic), fields_(rules.fields) {
  const int slow = grid.slow_axis();
  require(partition.parts() == team.total_parts(), "Slabs: the rows are not shared out to these parts");
  require(partition.count() == grid.extent[slow], "Slabs: the partition is not one of the grid's rows");
  for (int p = 0; p < team.parts(); ++p) {
    SlabLayout slab;
    slab.dimensions = grid.dimensions;
    std::copy(grid.extent, grid.extent + 3, slab.extent);
    slab.extent[slow] = rows(p).size();
    slab.pitch = rules.pitch > 0 ? rules.pitch : slab_pitch(slab.extent[0], cache_line<T>, sizeof(T));
    require(slab.pitch >= slab.extent[0], "Slabs: rows overlap");
    slab.plane = slab.pitch * slab.extent[1];
    slab.halo = rules.halo;
    slab.first = rows(p).lo[0];
    layouts_.push_back(slab);
  }
  const bool neighbors = partition.parts() > 1 || (rules.periodic && rules.also_alone);
  if (!neighbors || rules.halo == 0) return;
  Links links = slab_links(partition, team, layout(0).slow_stride(), static_cast<int>(rules.halo), rules.periodic);
  if (fields_ > 1)
    for (int p = 0; p < team.parts(); ++p)
      for (Link& link : links[static_cast<std::size_t>(p)])
        repeat(link.send, fields_, stride(p)), repeat(link.recv, fields_, stride(p));
  halo_ = std::make_unique<Halo<T>>(comm, team, links);
}

template <class T>
SlabRows Slabs<T>::rows_with(int part, Index more) const {
  const Range<1> own = rows(part);
  const bool below = open() && (periodic_ || own.lo[0] > 0),
             above = open() && (periodic_ || own.hi[0] < partition_.count());
  return {below ? -more : 0, own.size() + (above ? more : 0)};
}

template <class T>
SlabRows Slabs<T>::inner_rows(int part, Index reach) const {
  const SlabRows with = rows_with(part, reach);
  const Index own = rows(part).size(), lo = std::min(own, -with.lo);
  return {lo, std::max(lo, 2 * own - with.hi)};
}

template <class T>
Index Slabs<T>::size(int part) const {
  const SlabLayout& slab = layout(part);
  return (slab.slow_extent() + 2 * slab.halo) * slab.slow_stride() + 2 * margin<T>;
}

template <class T>
Index Slabs<T>::origin(int part) const {
  return margin<T> + layout(part).halo * layout(part).slow_stride();
}

template <class T>
Index Slabs<T>::stride(int part) const {
  return (size(part) + margin<T> - 1) / margin<T> * margin<T>;
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
