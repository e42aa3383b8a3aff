// Deals a distributed array out anew, so that every rank gets a slab of its slowest axis: one contiguous piece of the
// dataset each. In rounds, each of which brings a few MB of every slab, so that nobody needs memory for a field.
//
// Ranks exchange values before anyone writes, and writes are independent, so that a failure is the writing rank's own
// and can be agreed upon; CONTRIBUTING.md says why not by MPI-IO.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "io/h5/h5.hpp"
#include "lib/base/view.hpp"
#include "mpi/communicator.hpp"

namespace halocline {

// A box of an array and its values on the host, indexed as the last three axes of the box, perhaps with gaps between
// rows. Of an array with fewer axes the values are one row.
struct HostBox {
  h5::Extent offset, count;
  View<const double, 3> values;
};

namespace h5 {

// Bytes of a slab that a round brings; or one index of the slowest axis, where that has more.
inline constexpr Index round_bytes = Index{8} << 20;
// What an exchange takes in all: messages of a round as they leave and arrive, and the piece that they make.
inline constexpr Index exchange_bytes = 3 * round_bytes;

// Whether every box, on all ranks, is a slab already: whole along the axes behind the first one that has several
// indices. Collective.
bool are_slabs(const Communicator& comm, const Extent& shape, std::span<const HostBox> boxes);

// Values of an array of `shape` in front of the slab of `rank`; of the rank behind the last one: all.
Index slab_begin(const Extent& shape, int rank, int ranks);

// The boxes of all ranks, of any values of 8 bytes, tile an array of `shape`.
class SlabExchange {
 public:
  SlabExchange(const Communicator& comm, Extent shape, std::span<const HostBox> boxes, Index most = round_bytes);

  // Calls `take` with piece after piece of this rank's slab: values in front of it in the array, and its own, valid
  // until it returns. Equally often on all ranks; of a rank whose slab is done the pieces are empty. Collective.
  template <class Take>
  void run(const Take& take) {
    for (Index round = 0; round < rounds_; ++round) {
      bring(round);
      take(begin_, std::span<const std::uint64_t>(piece_));
    }
  }

 private:
  struct Box {
    Extent offset, count, stride;  // stride: in values
    const std::byte* values;
  };
  using Words = std::vector<std::uint64_t>;

  void bring(Index round);
  Index slice() const { return volume(shape_) / shape_[axis_]; }
  Index lo(int rank) const { return shape_[axis_] * rank / comm_.size(); }
  Index hi(int rank) const { return lo(rank + 1); }
  int owner(Index index) const;
  void append_common(const Box& box, Index lo, Index hi, Words& message) const;
  void place(Index lo, std::span<const Index> offset, std::span<const Index> count, const std::uint64_t* values);

  const Communicator& comm_;
  Extent shape_;
  std::size_t axis_;
  std::vector<Box> boxes_;
  Index step_ = 1, rounds_ = 0;  // indices of the slowest axis per round
  Index begin_ = 0;
  Words piece_;
};

}  // namespace h5
}  // namespace halocline
