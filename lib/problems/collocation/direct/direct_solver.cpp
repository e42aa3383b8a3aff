#include "lib/problems/collocation/direct/direct_solver.hpp"

#include <cmath>

#include "lib/problems/collocation/discretization/assembly.hpp"
#include "lib/problems/collocation/discretization/nodal_operator.hpp"

namespace halocline::collocation {

namespace {

class DirectSolver final : public Solver {
 public:
  DirectSolver(const Context& context, const Formulation& problem, DirectMethod method)
      : context_(context),
        method_(std::move(method)),
        blocks_(nodal_blocks(context, problem)),
        space_(nodal_vector_space(context.comm, context.team, blocks_)),
        b_(space_),
        x_(space_),
        inverse_(method_.make(blocks_)) {
    load_right_hand_side(context, problem, blocks_, b_);
  }

  bool iterative() const override { return false; }
  void begin() override { report_ = {0, 1, SolveStatus::running, 0, {1}}; }

  bool iterate(int /*n*/) override {
    if (report_.finished()) return true;
    inverse_->apply(b_, x_);
    const bool finite = std::isfinite(norm(x_));
    report_.residual = finite ? 0 : std::nan("");
    report_.status = finite ? SolveStatus::converged : SolveStatus::not_finite;
    report_.history.push_back(report_.residual);
    return true;
  }

  const SolveReport& report() const override { return report_; }
  void archive(StateArchive& /*state*/) override {}
  std::vector<double> unknowns(int part) override { return unknowns_on_host(x_, part, blocks_[part]); }
  Range<1> lines(int part) const override { return {{blocks_[part].first_line}, {blocks_[part].end_line}}; }
  Traffic traffic() const override { return inverse_->sent(); }
  double bytes_per_iteration() const override { return method_.bytes; }
  std::string describe() const override { return method_.name; }

 private:
  Context context_;
  DirectMethod method_;
  std::vector<NodalBlock> blocks_;
  VectorSpacePtr space_;
  Vector<double> b_, x_;
  std::unique_ptr<SeparableInverse> inverse_;
  SolveReport report_;
};

}  // namespace

std::vector<NodalBlock> nodal_blocks(const Context& context, const Formulation& problem) {
  std::vector<NodalBlock> blocks;
  for (int p = 0; p < context.team.parts(); ++p) {
    const Range<1> lines = context.own(p);
    blocks.push_back({lines.lo[0], lines.hi[0], problem.x.elements(), problem.y.elements()});
  }
  return blocks;
}

void load_right_hand_side(const Context& context, const Formulation& problem, const std::vector<NodalBlock>& blocks,
                          Vector<double>& b) {
  const Team& team = context.team;
  std::optional<GaussPoint> bad;
  for (int p = 0; p < team.parts(); ++p) {
    if (team.executor(p)->backend() == Backend::omp) {
      fill_nodal_right_hand_side(problem, blocks[p], context.all_threads(), b.part(p).data, bad);
      continue;
    }
    const auto lines = nodal_right_hand_side(problem, blocks[p], context.all_threads(), bad);
    team.executor(p)->copy_in(b.part(p).data, lines.data(), lines.size() * sizeof(double));
  }
  require_finite(context.comm, problem, bad);
}

std::vector<double> unknowns_on_host(const Vector<double>& x, int part, const NodalBlock& block) {
  const auto from = x.part(part);
  std::vector<double> lines(static_cast<std::size_t>(from.size())), unknowns;
  x.space().team().executor(part)->copy_out(lines.data(), from.data, lines.size() * sizeof(double));
  unknowns.reserve(static_cast<std::size_t>(4 * block.lines() * block.nodes()));
  for (Index i = 0; i < block.lines(); ++i)
    for (Index j = 0; j < block.nodes(); ++j)
      for (int c = 0; c < 4; ++c) unknowns.push_back(lines[i * block.line_size() + block.place(c, j)]);
  return unknowns;
}

std::unique_ptr<Solver> make_direct_solver(const Context& context, const Formulation& problem, DirectMethod method) {
  return std::make_unique<DirectSolver>(context, problem, std::move(method));
}

}  // namespace halocline::collocation
