// Vectors of a multigrid level: lines in the layout of nodal_layout.hpp with room for neighbors' lines, in double or
// float.
//
// A level is distributed, every part holding its own lines, or replicated, every part holding all of them and computing
// the same; then nothing is exchanged.
#pragma once

#include <memory>
#include <vector>

#include "lib/base/array.hpp"
#include "lib/problems/collocation/discretization/nodal_layout.hpp"
#include "mpi/halo.hpp"
#include "mpi/team.hpp"

namespace halocline::collocation {

// Where the vectors of a level live. Outlives them.
class NodalSpace {
 public:
  static constexpr Index ghosts = 2;  // lines before the own ones, and as many behind

  // `blocks`: of every part of this rank. Replicated: each covers the whole mesh.
  NodalSpace(const Communicator& comm, const Team& team, std::vector<NodalBlock> blocks, bool replicated);
  const Communicator& comm() const { return *comm_; }
  const Team& team() const { return *team_; }
  const NodalBlock& block(int part) const { return blocks_[static_cast<std::size_t>(part)]; }
  bool replicated() const { return replicated_; }
  // Whether lines of other parts are ever needed.
  bool exchanges() const { return !replicated_ && team_->total_parts() > 1; }

 private:
  const Communicator* comm_;
  const Team* team_;
  std::vector<NodalBlock> blocks_;
  bool replicated_;
};

template <class T>
class NodalVector {
 public:
  explicit NodalVector(const NodalSpace& space);  // all zero
  const NodalSpace& space() const { return *space_; }
  // First own line; line i is at own(part) + i * line_size().
  T* own(int part) { return arrays_[part].view().data + NodalSpace::ghosts * space_->block(part).line_size(); }
  const T* own(int part) const {
    return arrays_[part].view().data + NodalSpace::ghosts * space_->block(part).line_size();
  }
  // For reading with the nearest neighbors' lines, right once they have been exchanged. Beyond the mesh: zeros.
  NodalLines<T> lines(int part) const;
  // The whole memory, ghost lines included, as numbers of 8 bytes, for Halo.
  View<double, 1> words(int part);
  void clear();  // all zero; launches
  void swap(NodalVector& other) noexcept { arrays_.swap(other.arrays_); }

 private:
  const NodalSpace* space_;
  std::vector<Array<T, 1>> arrays_;
};

// Fetches `before` lines from the part before and `behind` lines from the one behind into the ghost lines of a vector:
// start(), work on lines that need none of them, finish(). Does nothing where the space exchanges nothing. Collective,
// main thread.
template <class T>
class NodalHalo {
 public:
  NodalHalo(const NodalSpace& space, Index before, Index behind);
  void start(NodalVector<T>& u);
  void finish(NodalVector<T>& u);
  Traffic sent() const { return halo_ ? halo_->sent() : Traffic{}; }

 private:
  std::unique_ptr<Halo<double>> halo_;
  std::vector<View<const double, 1>> owned_;
  std::vector<View<double, 1>> ghosts_;
};

// Calls work(part, first, end) for ranges of own lines of every part of this rank: first those that need no neighbor's
// line, while the nearest lines of `u` travel, then the others. Collective, main thread.
template <class T, class Work>
void each_line_range(NodalHalo<T>& halo, NodalVector<T>& u, const Work& work) {
  const NodalSpace& space = u.space();
  if (!space.exchanges()) {
    space.team().each([&](int p) { work(p, Index{0}, space.block(p).lines()); });
    return;
  }
  halo.start(u);
  space.team().each([&](int p) {
    if (space.block(p).lines() > 2) work(p, Index{1}, space.block(p).lines() - 1);
  });
  halo.finish(u);
  space.team().each([&](int p) {
    const Index lines = space.block(p).lines();
    work(p, Index{0}, Index{1});
    if (lines > 1) work(p, lines - 1, lines);
  });
}

}  // namespace halocline::collocation
