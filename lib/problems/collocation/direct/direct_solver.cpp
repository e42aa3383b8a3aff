#include "lib/problems/collocation/direct/direct_solver.hpp"

#include <cmath>

#include "lib/problems/collocation/discretization/nodal_operator.hpp"
#include "lib/problems/collocation/formulas/right_hand_side.hpp"

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
  void unknowns(int part, double* to) override { copy_part(x_, part, to); }
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
  for (int p = 0; p < team.parts(); ++p)
    right_hand_side(team.executor(p), problem, blocks[p], context.all_threads(), b.part(p).data, bad);
  require_finite(context.comm, problem, bad);
}

std::unique_ptr<Solver> make_direct_solver(const Context& context, const Formulation& problem, DirectMethod method) {
  return std::make_unique<DirectSolver>(context, problem, std::move(method));
}

}  // namespace halocline::collocation
