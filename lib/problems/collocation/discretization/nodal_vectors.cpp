#include "lib/problems/collocation/discretization/nodal_vectors.hpp"

#include <algorithm>

#include "mpi/halo/moved_rows.hpp"

namespace halocline::collocation {

VectorSpacePtr nodal_vector_space(const Communicator& comm, const Team& team, const std::vector<NodalBlock>& blocks,
                                  Index ghosts) {
  require(static_cast<int>(blocks.size()) == team.parts(), "nodal vectors: one block per part");
  VectorLayout layout;
  layout.rows = blocks[0].line_size() / lanes;
  layout.lane_is_chunk = false;
  for (const NodalBlock& block : blocks) layout.groups.push_back(block.lines());
  if (ghosts > 0) layout.before.assign(blocks.size(), ghosts * blocks[0].line_size());
  layout.behind = layout.before;
  return std::make_shared<VectorSpace>(comm, team, std::move(layout));
}

Links nodal_edge_links(const Team& team, const std::vector<Index>& lines, Index line_size, bool periodic) {
  std::vector<NeighborSwaps> swaps;
  for (const Index own : lines) {
    require(own >= 1, "nodal_edge_links: a part without lines");
    const IndexSet first = IndexSet::run(0, line_size), last = IndexSet::run((own - 1) * line_size, line_size);
    swaps.push_back({{first, first}, {last, IndexSet::run(line_size, line_size)}});
  }
  return neighbor_links(team, swaps, periodic);
}

void copy_part(const Vector<double>& x, int part, double* to) {
  const auto from = x.part(part);
  const auto bytes = static_cast<std::size_t>(from.size()) * sizeof(double);
  x.space().team().executor(part)->copy_async(to, from.data, bytes, Queue::compute);
}

NodalSpace::NodalSpace(const Communicator& comm, const Team& team, std::vector<NodalBlock> blocks, bool replicated)
    : blocks_(std::move(blocks)), replicated_(replicated), vectors_(nodal_vector_space(comm, team, blocks_, ghosts)) {}

NodalSpace::NodalSpace(const Communicator& comm, const Team& team, const Partition& lines, const Axis& x, const Axis& y)
    : replicated_(false), partition_(lines) {
  for (int p = 0; p < team.parts(); ++p) blocks_.push_back(nodal_block(lines.block(team.first_part() + p), x, y));
  vectors_ = nodal_vector_space(comm, team, blocks_, ghosts);
}

bool NodalSpace::holds_anything() const {
  return std::any_of(blocks_.begin(), blocks_.end(), [](const NodalBlock& block) { return block.lines() > 0; });
}

Links NodalSpace::links(Index before, Index behind) const {
  if (partition_) {
    const Index size = blocks_[0].line_size();
    const std::vector<Index> at(blocks_.size(), ghosts * size);
    return ghost_row_links(team(), *partition_, {before, behind, blocks_[0].periodic_x}, size, at);
  }
  std::vector<Index> lines;
  for (const NodalBlock& block : blocks_) lines.push_back(block.lines());
  return line_links(team(), lines, blocks_[0].line_size(), {ghosts, before, behind}, blocks_[0].periodic_x);
}

}  // namespace halocline::collocation
