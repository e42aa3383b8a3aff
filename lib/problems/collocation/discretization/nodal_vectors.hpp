// Vectors of lines in the layout of nodal_layout.hpp: their spaces, with room for neighbors' lines where wanted, and
// the exchange of these.
#pragma once

#include <optional>
#include <vector>

#include "lib/linalg/vector_halo.hpp"
#include "lib/problems/collocation/axes/axis.hpp"
#include "lib/problems/collocation/discretization/nodal_layout.hpp"
#include "mpi/partition.hpp"

namespace halocline::collocation {

// Lines of the mesh of two axes.
inline NodalBlock nodal_block(const Range<1>& lines, const Axis& x, const Axis& y) {
  return {lines.lo[0], lines.hi[0], x.elements(), y.elements(), x.periodic(), y.periodic()};
}

// Vectors of the equations, or unknowns, of these blocks, one per part of this rank, a line being a group, with room
// for `ghosts` lines before the own ones and as many behind.
VectorSpacePtr nodal_vector_space(const Communicator& comm, const Team& team, const std::vector<NodalBlock>& blocks,
                                  Index ghosts = 0);

// Sends a part's first line to the part before and its last one to the part behind, as edge_links(); where x is
// periodic the first and the last part are neighbors too.
Links nodal_edge_links(const Team& team, const std::vector<Index>& lines, Index line_size, bool periodic);

// Copies the values of a part to memory of its executor. Asynchronous.
void copy_part(const Vector<double>& x, int part, double* to);

// Where the vectors of a multigrid level live. It is distributed, every part holding its own lines, or replicated,
// every part holding all of them and computing the same; then nothing is exchanged. Parts may hold nothing.
class NodalSpace {
 public:
  static constexpr Index ghosts = 2;  // lines before the own ones, and as many behind

  // `blocks`: of every part of this rank. Replicated: each covers the whole mesh, or nothing.
  NodalSpace(const Communicator& comm, const Team& team, std::vector<NodalBlock> blocks, bool replicated);
  // Distributed as `lines` says for all ranks, blocks of which may be empty.
  NodalSpace(const Communicator& comm, const Team& team, const Partition& lines, const Axis& x, const Axis& y);
  const VectorSpacePtr& vectors() const { return vectors_; }
  const Communicator& comm() const { return vectors_->comm(); }
  const Team& team() const { return vectors_->team(); }
  const NodalBlock& block(int part) const { return blocks_[static_cast<std::size_t>(part)]; }
  bool holds(int part) const { return block(part).lines() > 0; }
  bool holds_anything() const;
  // Whether lines of other parts are ever needed.
  bool exchanges() const { return !replicated_ && team().total_parts() > 1; }

  // Own lines of a vector with the nearest neighbors' lines, right once they have been exchanged. Beyond the mesh:
  // zeros. Where x is periodic and a part holds all lines, they are its own.
  template <class T>
  NodalLines<T> lines(const Vector<T>& u, int part) const {
    const NodalBlock& own = block(part);
    const T* first = u.part(part).data;
    if (own.wraps_x()) return {first, first + own.size() - own.line_size(), first, own.lines(), own.line_size()};
    return {first, first - own.line_size(), first + own.size(), own.lines(), own.line_size()};
  }
  // Brings `before` lines of the part before and `behind` lines of the one behind. Collective.
  template <class T>
  VectorHalo<T> halo(Index before, Index behind) const {
    return exchanges() ? VectorHalo<T>(*vectors_, links(before, behind)) : VectorHalo<T>();
  }

 private:
  Links links(Index before, Index behind) const;

  std::vector<NodalBlock> blocks_;
  bool replicated_;
  std::optional<Partition> partition_;  // where blocks may be empty
  VectorSpacePtr vectors_;
};

// Calls work(part, first, end) for ranges of own lines of every part of this rank: first those that need no neighbor's
// line, while the nearest lines of `u` travel, then the others. Collective, main thread.
template <class T, class Work>
void each_line_range(const NodalSpace& space, VectorHalo<T>& halo, Vector<T>& u, const Work& work) {
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
    if (lines > 0) work(p, Index{0}, Index{1});
    if (lines > 1) work(p, lines - 1, lines);
  });
}

}  // namespace halocline::collocation
