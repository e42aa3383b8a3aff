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

class ClosedAcross final : public AcrossByColumns {
 public:
  ClosedAcross(const Communicator& comm, const Team& team, const std::vector<NodalBlock>& blocks, const Axis& x,
               double a, double eta, const std::vector<double>& mode_values)
      : AcrossByColumns(comm, team, blocks) {
    const ClosedTables tables = closed_tables(x);
    for (int p = 0; p < team.parts(); ++p) {
      bases_.emplace_back(x, tables, a, eta, team.executor(p));
      shifts_.push_back(make_array(team.executor(p), mode_values));
    }
  }

 private:
  void solve_columns(int p, double* data, Index columns, Index line_size, Index stride, Index first) override {
    if (columns == 0) return;
    bases_[p].solve_across(std::min(columns, blocks_[p].nodes() - first), line_size, stride, data,
                           shifts_[p].view().data + first, width_);
  }

  std::vector<ClosedBasis> bases_;
  std::vector<Array<double, 1>> shifts_;
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
