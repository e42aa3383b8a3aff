#include "lib/problems/collocation/direct/modes.hpp"

namespace halocline::collocation {

namespace {

void exchange(Halo<double>& halo, const std::vector<View<double, 1>>& from, const std::vector<View<double, 1>>& to) {
  const std::vector<View<const double, 1>> owned(from.begin(), from.end());
  halo.start(owned);
  halo.finish(to);
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
  const auto parts = static_cast<std::size_t>(team.parts());
  const std::vector<Index> starts = part_starts(comm, team, blocks);
  Links gather(parts), scatter(parts);
  for (int p = 0; p < team.parts(); ++p) {
    const NodalBlock& block = blocks[p];
    turned_.emplace_back(team.executor(p), std::array<Index, 1>{4 * starts.back() * columns(p)});
    turned_views_.push_back(turned_.back().view());
    for (int other = 0; other < team.total_parts(); ++other) {
      const Index first = first_column(other), count = first_column(other + 1) - first;
      const IndexSet lines{
          block.place(0, first), {block.lines(), 4, count}, {block.line_size(), block.stride(), 1}, {}};
      const IndexSet turned =
          IndexSet::run(4 * starts[other] * columns(p), 4 * (starts[other + 1] - starts[other]) * columns(p));
      gather[p].push_back({other, lines, turned});
      scatter[p].push_back({other, turned, lines});
    }
  }
  gather_ = std::make_unique<Halo<double>>(comm, team, std::move(gather));
  scatter_ = std::make_unique<Halo<double>>(comm, team, std::move(scatter));
  modes_views_.resize(parts);
}

void AcrossByColumns::solve(Vector<double>& modes) {
  if (!gather_) {
    const NodalBlock& block = blocks_.front();
    return solve_columns(0, modes.part(0).data + NodalBlock::margin, width_, block.line_size(), block.stride(), 0);
  }
  for (int p = 0; p < team_->parts(); ++p) modes_views_[p] = modes.part(p);
  exchange(*gather_, modes_views_, turned_views_);
  team_->each([&](int p) {
    solve_columns(p, turned_[p].view().data, columns(p), 4 * columns(p), columns(p),
                  first_column(team_->first_part() + p));
  });
  exchange(*scatter_, turned_views_, modes_views_);
}

}  // namespace halocline::collocation
