#include "lib/problems/collocation/direct/closed_modes.hpp"

#include <algorithm>

namespace halocline::collocation {

namespace {

class ClosedAlong final : public AlongY {
 public:
  ClosedAlong(const Axis& y, const NodalBlock& block, const ExecutorPtr& executor)
      : block_(block), basis_(y, closed_tables(y), 1, 0, executor) {}
  void analyze(Index lines, const double* f, double* modes) override {
    basis_.analyze(lines, block_.line_size(), block_.stride(), f + NodalBlock::margin, modes + NodalBlock::margin);
  }
  void synthesize(Index lines, double* modes) override {
    basis_.synthesize(lines, block_.line_size(), block_.stride(), modes + NodalBlock::margin);
  }

 private:
  NodalBlock block_;
  ClosedBasis basis_;
};

class ClosedAcross final : public AcrossX {
 public:
  ClosedAcross(const Communicator& comm, const Team& team, const std::vector<NodalBlock>& blocks, const Axis& x,
               double a, double eta, const std::vector<double>& mode_values)
      : team_(&team), blocks_(blocks), width_(mode_width(blocks.front().ny)) {
    const ClosedTables tables = closed_tables(x);
    for (int p = 0; p < team.parts(); ++p) {
      bases_.emplace_back(x, tables, a, eta, team.executor(p));
      shifts_.push_back(make_array(team.executor(p), mode_values));
    }
    if (team.total_parts() > 1)
      exchange_ = std::make_unique<ModeExchange>(comm, team, blocks, part_starts(comm, team, blocks));
  }

  void solve(Vector<double>& modes) override {
    if (!exchange_) {
      const NodalBlock& block = blocks_.front();
      bases_.front().solve_across(block.nodes(), block.line_size(), block.stride(),
                                  modes.part(0).data + NodalBlock::margin, shifts_.front().view().data, width_);
      return;
    }
    exchange_->gather(modes);
    team_->each([&](int p) {
      const Index columns = exchange_->columns(p);
      bases_[p].solve_across(columns, 4 * columns, columns, exchange_->data(p),
                             shifts_[p].view().data + exchange_->first_column(p), width_);
    });
    exchange_->scatter(modes);
  }
  Traffic sent() const override { return exchange_ ? exchange_->sent() : Traffic{}; }

 private:
  const Team* team_;
  std::vector<NodalBlock> blocks_;
  Index width_;
  std::vector<ClosedBasis> bases_;
  std::vector<Array<double, 1>> shifts_;
  std::unique_ptr<ModeExchange> exchange_;
};

}  // namespace

std::vector<double> closed_mode_values(const Axis& y, double c) {
  const Index n = y.elements(), width = mode_width(n);
  const ClosedTables tables = closed_tables(y);
  std::vector<double> values;
  for (int h = 0; h < 2; ++h)
    for (Index l = 0; l < width; ++l) values.push_back(c * tables.value[2 * std::min(l, n) + h]);
  return values;
}

std::unique_ptr<AlongY> make_closed_along(const Axis& y, const NodalBlock& block, const ExecutorPtr& executor) {
  return std::make_unique<ClosedAlong>(y, block, executor);
}

std::unique_ptr<AcrossX> make_closed_across(const Communicator& comm, const Team& team,
                                            const std::vector<NodalBlock>& blocks, const Axis& x, double a, double eta,
                                            const std::vector<double>& mode_values) {
  return std::make_unique<ClosedAcross>(comm, team, blocks, x, a, eta, mode_values);
}

}  // namespace halocline::collocation
