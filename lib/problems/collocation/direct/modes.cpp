#include "lib/problems/collocation/direct/modes.hpp"

namespace halocline::collocation {

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

Index ModeExchange::first_column(int global, int after) const {
  return width_ / lanes * (global + after) / team_->total_parts() * lanes;
}

ModeExchange::ModeExchange(const Communicator& comm, const Team& team, const std::vector<NodalBlock>& blocks,
                           const std::vector<Index>& starts)
    : team_(&team), width_(mode_width(blocks.front().ny)) {
  const auto parts = static_cast<std::size_t>(team.parts());
  Links gather(parts), scatter(parts);
  for (int p = 0; p < team.parts(); ++p) {
    const NodalBlock& block = blocks[p];
    turned_.emplace_back(team.executor(p), std::array<Index, 1>{4 * starts.back() * columns(p)});
    for (int other = 0; other < team.total_parts(); ++other) {
      const Index first = first_column(other, 0), count = first_column(other, 1) - first;
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
  from_.resize(parts);
  to_.resize(parts);
}

void ModeExchange::gather(const Vector<double>& modes) {
  for (int p = 0; p < team_->parts(); ++p) {
    from_[p] = modes.part(p);
    to_[p] = turned_[p].view();
  }
  gather_->start(from_);
  gather_->finish(to_);
}

void ModeExchange::scatter(Vector<double>& modes) {
  for (int p = 0; p < team_->parts(); ++p) {
    from_[p] = turned_[p].view();
    to_[p] = modes.part(p);
  }
  scatter_->start(from_);
  scatter_->finish(to_);
}

Traffic ModeExchange::sent() const { return gather_->sent() + scatter_->sent(); }

}  // namespace halocline::collocation
