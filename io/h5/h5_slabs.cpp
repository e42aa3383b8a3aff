#include "io/h5/h5_slabs.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "mpi/parcels.hpp"

namespace halocline::h5 {
namespace {

// The slowest axis with several indices.
std::size_t cut_axis(const Extent& shape) {
  std::size_t axis = 0;
  while (axis + 1 < shape.size() && shape[axis] == 1) ++axis;
  return axis;
}

// Of values that are indexed as the last three axes, or lie one after the other.
Extent strides_of(const HostBox& box) {
  const std::size_t rank = box.count.size();
  Extent stride(rank, 1);
  for (std::size_t d = rank - 1; d-- > 0;) stride[d] = stride[d + 1] * box.count[d + 1];
  if (rank >= 3 && box.values.extent[1] == box.count[rank - 2] && box.values.extent[0] == box.count[rank - 3]) {
    stride[rank - 2] = box.values.stride[1];
    stride[rank - 3] = box.values.stride[0];
  }
  return stride;
}

// Steps to the next row in a box of `count`, whose rows lie along the last axis; false behind the last one.
bool next_row(const Extent& count, Extent& at) {
  for (std::size_t d = count.size() - 1; d-- > 0;) {
    if (++at[d] < count[d]) return true;
    at[d] = 0;
  }
  return false;
}

}  // namespace

bool are_slabs(const Communicator& comm, const Extent& shape, std::span<const HostBox> boxes) {
  const auto axis = static_cast<std::ptrdiff_t>(cut_axis(shape));
  return comm.agree(std::all_of(boxes.begin(), boxes.end(), [&](const HostBox& box) {
    return std::equal(shape.begin() + axis + 1, shape.end(), box.count.begin() + axis + 1);
  }));
}

Index slab_begin(const Extent& shape, int rank, int ranks) {
  const Index extent = shape[cut_axis(shape)];
  return extent * rank / ranks * (volume(shape) / extent);
}

SlabExchange::SlabExchange(const Communicator& comm, Extent shape, std::span<const HostBox> boxes, Index most)
    : comm_(comm), shape_(std::move(shape)), axis_(cut_axis(shape_)) {
  for (const HostBox& box : boxes)
    if (volume(box.count) > 0)
      boxes_.push_back({box.offset, box.count, strides_of(box), reinterpret_cast<const std::byte*>(box.values.data)});
  if (volume(shape_) == 0) return;
  step_ = std::max<Index>(1, most / static_cast<Index>(sizeof(std::uint64_t)) / slice());
  const Index longest = (shape_[axis_] + comm.size() - 1) / comm.size();
  rounds_ = (longest + step_ - 1) / step_;
}

int SlabExchange::owner(Index index) const {
  return static_cast<int>(((index + 1) * comm_.size() - 1) / shape_[axis_]);
}

// Appends what `box` has in common with a piece of a slab, indices lo ... hi - 1: offset, count, values.
void SlabExchange::append_common(const Box& box, Index lo, Index hi, Words& message) const {
  lo = std::max(lo, box.offset[axis_]);
  hi = std::min(hi, box.offset[axis_] + box.count[axis_]);
  if (lo >= hi) return;
  Extent offset = box.offset, count = box.count;
  offset[axis_] = lo;
  count[axis_] = hi - lo;
  std::size_t at = message.size() + 2 * shape_.size();
  message.reserve(at + static_cast<std::size_t>(volume(count)));
  message.insert(message.end(), offset.begin(), offset.end());
  message.insert(message.end(), count.begin(), count.end());
  message.resize(at + static_cast<std::size_t>(volume(count)));
  const auto run = static_cast<std::size_t>(count.back());
  Extent row(count.size(), 0);
  do {
    Index from = (lo - box.offset[axis_]) * box.stride[axis_];
    for (std::size_t d = 0; d + 1 < row.size(); ++d) from += row[d] * box.stride[d];
    std::memcpy(message.data() + at, box.values + static_cast<std::size_t>(from) * 8, run * 8);
    at += run;
  } while (next_row(count, row));
}

// Copies a box into the piece, whose first index of the axis is `lo`; both have all of the axes before it.
void SlabExchange::place(Index lo, std::span<const Index> offset, std::span<const Index> count,
                         const std::uint64_t* values) {
  const Extent extent(count.begin(), count.end());
  Extent row(extent.size(), 0);
  do {
    Index to = 0;
    for (std::size_t d = axis_; d < row.size(); ++d) to = to * shape_[d] + offset[d] + row[d] - (d == axis_ ? lo : 0);
    std::copy_n(values, extent.back(), piece_.begin() + to);
    values += extent.back();
  } while (next_row(extent, row));
}

void SlabExchange::bring(Index round) {
  const auto first_of = [&](int rank) { return std::min(lo(rank) + round * step_, hi(rank)); };
  const auto end_of = [&](int rank) { return std::min(first_of(rank) + step_, hi(rank)); };
  Parcels<std::uint64_t> messages;
  for (const Box& box : boxes_) {
    const Index first = box.offset[axis_], last = first + box.count[axis_] - 1;
    for (int rank = owner(first); rank <= owner(last); ++rank)
      if (first_of(rank) <= last && end_of(rank) > first)
        append_common(box, first_of(rank), end_of(rank), messages.to(rank));
  }
  const auto received = messages.send(comm_);
  const Index own = first_of(comm_.rank());
  begin_ = own * slice();
  piece_.resize(static_cast<std::size_t>((end_of(comm_.rank()) - own) * slice()));
  for (const auto& [rank, words] : received) {
    for (auto word = words.begin(); word != words.end();) {
      const auto dimensions = static_cast<std::ptrdiff_t>(shape_.size());
      const Extent offset(word, word + dimensions), count(word + dimensions, word + 2 * dimensions);
      word += 2 * dimensions;
      place(own, offset, count, &*word);
      word += volume(count);
    }
  }
}

}  // namespace halocline::h5
