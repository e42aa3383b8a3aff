// VectorSpace: what vectors of one kind share: where their values live, how they are cut into chunks, and room for
// sums.
//
// The values of a part are groups of `rows` x `lanes` numbers. Sums are exact over chunks, and chunks do not depend on
// the partition: either every lane of a group is a chunk (a grid line), or the whole group is (1024 rows of a matrix).
// Inside a chunk values are added in their own precision, in a fixed order; chunks are added as doubles.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "lib/base/pack.hpp"
#include "mpi/communicator.hpp"
#include "mpi/team.hpp"

namespace halocline {

struct VectorLayout {
  std::vector<Index> groups;  // of every part of this rank
  Index rows = 0;             // of a group; even
  bool lane_is_chunk = true;  // false: the whole group is one chunk
  // Room for ghosts in front of and behind the values of every part of this rank, in numbers, multiples of `lanes`;
  // empty: none.
  std::vector<Index> before = {}, behind = {};
  // Numbers of every part of this rank, from its first on, that unknowns use; empty: all.
  std::vector<Index> used = {};

  Index group_size() const { return rows * lanes; }
  Index size(int part) const { return groups[static_cast<std::size_t>(part)] * group_size(); }
  Index room_before(int part) const { return before.empty() ? 0 : before[static_cast<std::size_t>(part)]; }
  Index room_behind(int part) const { return behind.empty() ? 0 : behind[static_cast<std::size_t>(part)]; }
  Index used_size(int part) const { return used.empty() ? size(part) : used[static_cast<std::size_t>(part)]; }
};

class VectorSpace {
 public:
  VectorSpace(const Communicator& comm, const Team& team, VectorLayout layout);
  const Communicator& comm() const { return *comm_; }
  const Team& team() const { return *team_; }
  const VectorLayout& layout() const { return layout_; }

  // Sums under way: `count` accumulators for every part of this rank, set to zero by clear_sums(count), filled by
  // kernels, K at a time, and joined over parts and ranks, in one message, by join_sums(). Main thread; joining is
  // collective.
  void clear_sums(int count) const;
  template <int K>
  std::span<ExactSum, K> sums(int part, int first = 0) const {
    return std::span<ExactSum, K>(&sums_[static_cast<std::size_t>(part * count_ + first)], K);
  }
  void join_sums(std::span<double> result) const;  // of as many as were cleared
  template <int K>
  std::array<double, K> join_sums() const {
    std::array<double, K> result;
    join_sums(std::span<double>(result));
    return result;
  }

 private:
  const Communicator* comm_;
  const Team* team_;
  VectorLayout layout_;
  mutable int count_ = 0;
  mutable std::vector<ExactSum> sums_;  // [part][count]
};
using VectorSpacePtr = std::shared_ptr<const VectorSpace>;

}  // namespace halocline
