#include "io/h5/h5_slabs.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "mpi/parcels.hpp"

namespace halocline::h5 {
namespace {

using Words = std::vector<std::uint64_t>;

Index volume(std::span<const Index> count) {
  return std::accumulate(count.begin(), count.end(), Index{1}, std::multiplies<>());
}

// The slowest axis with several indices.
std::size_t cut_axis(const Extent& shape) {
  std::size_t axis = 0;
  while (axis + 1 < shape.size() && shape[axis] == 1) ++axis;
  return axis;
}

// Slab of a rank: indices lo ... hi - 1 of `axis`.
struct Cut {
  std::size_t axis;
  Index extent;
  int ranks;
  Index lo(int rank) const { return extent * rank / ranks; }
  Index hi(int rank) const { return lo(rank + 1); }
  int owner(Index index) const { return static_cast<int>(((index + 1) * ranks - 1) / extent); }
};

// Appends what `box` has in common with a slab: offset, count, values.
void append_common(const Source& box, std::size_t axis, Index lo, Index hi, Words& message) {
  lo = std::max(lo, box.offset[axis]);
  hi = std::min(hi, box.offset[axis] + box.count[axis]);
  if (lo >= hi || box.size() == 0) return;
  const Index slice = box.size() / box.count[axis];  // axes before `axis` have one index
  Extent offset = box.offset, count = box.count;
  offset[axis] = lo;
  count[axis] = hi - lo;
  message.insert(message.end(), offset.begin(), offset.end());
  message.insert(message.end(), count.begin(), count.end());
  const std::size_t at = message.size(), size = static_cast<std::size_t>((hi - lo) * slice);
  message.resize(at + size);
  std::memcpy(message.data() + at, box.values + static_cast<std::size_t>((lo - box.offset[axis]) * slice) * 8,
              size * 8);
}

// Copies a box into a slab whose first index of `axis` is `lo`; both have all of the axes before `axis`.
void place(const Extent& shape, std::size_t axis, Index lo, std::span<const Index> offset, std::span<const Index> count,
           const std::uint64_t* values, Words& slab) {
  const std::size_t rank = shape.size();
  const Index run = count[rank - 1], rows = volume(count) / run;
  for (Index row = 0; row < rows; ++row) {
    Index to = offset[rank - 1], rest = row, step = shape[rank - 1];
    if (axis == rank - 1) to -= lo;
    for (std::size_t d = rank - 1; d-- > axis;) {
      to += (rest % count[d] + offset[d] - (d == axis ? lo : 0)) * step;
      rest /= count[d];
      step *= shape[d];
    }
    std::copy_n(values + row * run, run, slab.begin() + to);
  }
}

// Sends what the boxes have in common with the slabs of others, and this rank's.
std::vector<Parcel<std::uint64_t>> deal(const Communicator& comm, const Cut& cut, std::span<const Source> boxes) {
  Parcels<std::uint64_t> messages;
  for (const Source& box : boxes) {
    if (box.size() == 0) continue;
    const Index first = box.offset[cut.axis], last = first + box.count[cut.axis] - 1;
    for (int rank = cut.owner(first); rank <= cut.owner(last); ++rank)
      append_common(box, cut.axis, cut.lo(rank), cut.hi(rank), messages.to(rank));
  }
  return messages.send(comm);
}

}  // namespace

bool are_slabs(const Communicator& comm, const Extent& shape, std::span<const Source> boxes) {
  const auto axis = static_cast<std::ptrdiff_t>(cut_axis(shape));
  return comm.agree(std::all_of(boxes.begin(), boxes.end(), [&](const Source& box) {
    return std::equal(shape.begin() + axis + 1, shape.end(), box.count.begin() + axis + 1);
  }));
}

Index slab_begin(const Extent& shape, int rank, int ranks) {
  const std::size_t axis = cut_axis(shape);
  return Cut{axis, shape[axis], ranks}.lo(rank) * (volume(shape) / shape[axis]);
}

Slabs to_slabs(const Communicator& comm, const Extent& shape, std::span<const Source> boxes) {
  const std::size_t axis = cut_axis(shape);
  const Cut cut{axis, shape[axis], comm.size()};
  const std::vector<Parcel<std::uint64_t>> received = deal(comm, cut, boxes);
  Slabs result;
  Source mine{Extent(shape.size(), 0), shape, nullptr};
  mine.offset[axis] = cut.lo(comm.rank());
  mine.count[axis] = cut.hi(comm.rank()) - mine.offset[axis];
  result.storage.resize(static_cast<std::size_t>(mine.size()));
  for (const auto& [rank, words] : received) {
    for (auto word = words.begin(); word != words.end();) {
      const auto dimensions = static_cast<std::ptrdiff_t>(shape.size());
      const Extent offset(word, word + dimensions), count(word + dimensions, word + 2 * dimensions);
      word += 2 * dimensions;
      place(shape, axis, mine.offset[axis], offset, count, &*word, result.storage);
      word += volume(count);
    }
  }
  mine.values = reinterpret_cast<const std::byte*>(result.storage.data());
  result.boxes.push_back(std::move(mine));
  return result;
}

}  // namespace halocline::h5
