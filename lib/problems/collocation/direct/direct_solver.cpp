#include "lib/problems/collocation/direct/direct_solver.hpp"

#include <cmath>

#include "lib/problems/collocation/nodal_solver.hpp"

namespace halocline::collocation {

namespace {

class DirectSolver final : public NodalSolver {
 public:
  DirectSolver(const Context& context, const Formulation& problem, DirectMethod method)
      : NodalSolver(context, problem), method_(std::move(method)), inverse_(method_.make(blocks_)) {}

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
  Traffic traffic() const override { return inverse_->sent(); }
  double bytes_per_iteration() const override { return method_.bytes; }
  std::string describe() const override { return method_.name; }

 private:
  DirectMethod method_;
  std::unique_ptr<SeparableInverse> inverse_;
  SolveReport report_;
};

}  // namespace

std::unique_ptr<Solver> make_direct_solver(const Context& context, const Formulation& problem, DirectMethod method) {
  return std::make_unique<DirectSolver>(context, problem, std::move(method));
}

}  // namespace halocline::collocation
