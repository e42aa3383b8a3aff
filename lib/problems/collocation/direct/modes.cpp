#include "lib/problems/collocation/direct/modes.hpp"

namespace halocline::collocation {

namespace {

void exchange(Turn<double>& turn, const std::vector<View<double, 1>>& from, const std::vector<View<double, 1>>& to) {
  const std::vector<View<const double, 1>> owned(from.begin(), from.end());
  turn.start(owned);
  turn.finish(to);
}

}  // namespace

SeparableInverse::SeparableInverse(std::vector<NodalBlock> blocks, std::vector<std::unique_ptr<AlongY>> along,
                                   std::unique_ptr<AcrossX> across)
    : blocks_(std::move(blocks)), along_(std::move(along)), across_(std::move(across)) {}

void SeparableInverse::apply(const Vector<double>& f, Vector<double>& x) const {
  const Team& team = x.space().team();
  team.each([&](int p) { along_[p]->analyze(blocks_[p].lines(), f.part(p).data, x.part(p).data); });
  across_->solve(x);
  team.each([&](int p) { along_[p]->synthesize(blocks_[p].lines(), x.part(p).data); });
}

std::vector<Index> part_starts(const Communicator& comm, const Team& team, const std::vector<NodalBlock>& blocks) {
  std::vector<Index> starts(static_cast<std::size_t>(team.total_parts()) + 1, 0);
  for (int p = 0; p < team.parts(); ++p) starts[team.first_part() + p] = blocks[p].first_line;
  comm.max(std::span<Index>(starts));
  starts.back() = blocks.front().nx + 1;
  return starts;
}

AcrossByColumns::AcrossByColumns(const Communicator& comm, const Team& team, const std::vector<NodalBlock>& blocks)
    : team_(&team), blocks_(blocks), width_(mode_width(blocks.front().ny)) {
  if (team.total_parts() == 1) return;
  std::vector<Index> first(static_cast<std::size_t>(team.total_parts()) + 1);
  for (std::size_t p = 0; p < first.size(); ++p)
    first[p] = width_ / lanes * static_cast<Index>(p) / team.total_parts() * lanes;
  columns_ = Partition::from_starts(std::move(first));
  const TurnShape shape{Partition::from_starts(part_starts(comm, team, blocks)), columns_, 4, 0};
  std::vector<TurnRows> rows;
  for (int p = 0; p < team.parts(); ++p) {
    const NodalBlock& block = blocks[p];
    rows.push_back({NodalBlock::margin, block.line_size(), block.stride()});
    turned_.emplace_back(team.executor(p), std::array<Index, 1>{4 * shape.rows.count() * columns(p).size()});
    turned_views_.push_back(turned_.back().view());
  }
  const std::vector<Index> at_front(rows.size(), 0);
  gather_.emplace(comm, team, shape, TurnWay::to_columns, rows, at_front);
  scatter_.emplace(comm, team, shape, TurnWay::to_rows, rows, at_front);
  modes_views_.resize(rows.size());
}

void AcrossByColumns::solve(Vector<double>& modes) {
  if (!gather_) {
    const NodalBlock& block = blocks_.front();
    return solve_columns(0, modes.part(0).data + NodalBlock::margin, width_, block.line_size(), block.stride(), 0);
  }
  for (int p = 0; p < team_->parts(); ++p) modes_views_[p] = modes.part(p);
  exchange(*gather_, modes_views_, turned_views_);
  team_->each([&](int p) {
    const Index own = columns(p).size();
    solve_columns(p, turned_[p].view().data, own, 4 * own, own, columns(p).lo[0]);
  });
  exchange(*scatter_, turned_views_, modes_views_);
}

}  // namespace halocline::collocation
