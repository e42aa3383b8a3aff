// Newton's method for equations that are not linear in u, with corrections by the methods mg and fd: their
// preconditioners for the linearized equations. That of mg follows these from step to step: its levels get new
// coefficients and factors, and keep their memory. That of fd is fitted once, where the iteration begins.
#include "lib/problems/collocation/methods.hpp"
#include "lib/problems/collocation/multigrid/multigrid.hpp"
#include "lib/problems/collocation/newton/newton_solver.hpp"
#include "lib/problems/collocation/separable/fitted.hpp"

namespace halocline::collocation {

namespace {

class CycleCorrector final : public Corrector {
 public:
  CycleCorrector(const Context& context, const Formulation& problem, const SolverOptions& options,
                 const VectorSpacePtr& space, const std::vector<const Equations<double>*>& equations)
      : plan_(plan_multigrid(problem, options.smoother, context.team.total_parts())),
        single_(options.precision == Precision::fp32) {
    if (const auto obstacle = multigrid_obstacle(problem, plan_)) throw DeckError("collocation.solver: " + *obstacle);
    const auto make = single_ ? make_multigrid<float> : make_multigrid<double>;
    cycle_ = make(space, problem, plan_, context.partition, equations, context.all_threads());
  }

  const Operator<double>& inverse() const override { return *cycle_; }
  void refresh() override { cycle_->refresh(); }
  Traffic sent() const override { return cycle_->sent(); }
  double bytes_per_iteration() const override { return 2 * cycle_->bytes_per_cycle(); }
  std::string describe() const override {
    return std::string("a multigrid cycle in ") + (single_ ? "fp32" : "fp64") + " with " +
           std::to_string(plan_.levels()) + " levels to " + std::to_string(plan_.x.back().elements()) + " x " +
           std::to_string(plan_.y.back().elements()) + " elements";
  }

 private:
  MultigridPlan plan_;
  bool single_;
  std::unique_ptr<Multigrid> cycle_;
};

class FittedCorrector final : public Corrector {
 public:
  FittedCorrector(const Context& context, const Formulation& problem, const SolverOptions& /*options*/,
                  const VectorSpacePtr& space, const std::vector<const Equations<double>*>& equations)
      : inverse_(space, problem.x, problem.y, equations, context.all_threads()), unknowns_(problem.unknowns()) {}

  const Operator<double>& inverse() const override { return inverse_; }
  void refresh() override {}
  Traffic sent() const override { return inverse_.sent(); }
  double bytes_per_iteration() const override { return 24 * 8 * unknowns_; }
  std::string describe() const override { return "a fitted separable operator"; }

 private:
  FittedInverse inverse_;
  double unknowns_;
};

template <class Made>
std::unique_ptr<Corrector> make_corrector(const Context& context, const Formulation& problem,
                                          const SolverOptions& options, const VectorSpacePtr& space,
                                          const std::vector<const Equations<double>*>& equations) {
  try {
    return std::make_unique<Made>(context, problem, options, space, equations);
  } catch (const NumericalError& error) {
    throw NumericalError(
        "the equation linearized at collocation.newton.start (0 where left out) has no unique solution: " +
        std::string(error.what()) + "; try another start, or a Dirichlet side");
  }
}

template <class Made>
std::unique_ptr<Solver> make(const Context& context, const Formulation& problem, const SolverOptions& options) {
  return std::make_unique<NewtonSolver>(context, problem, options, make_corrector<Made>);
}

// Beside what the method takes for linear equations: four vectors, and the solution and its derivatives at Gauss
// points.
template <const MethodEntry& linear>
std::size_t bytes(const Formulation& problem, const SolverOptions& options, Index lines) {
  const NodalBlock block{0, lines, problem.x.elements(), problem.y.elements()};
  return linear.bytes(problem, options, lines) +
         static_cast<std::size_t>((4 + StatePart::vectors(*problem.nonlinear)) * block.size()) * sizeof(double);
}

std::optional<std::string> cannot_cycle(const Formulation& problem, const SolverOptions& options) {
  return multigrid_method.cannot(problem, options);
}
std::optional<std::string> cannot_fit(const Formulation& problem, const SolverOptions& options) {
  return fitted_method.cannot(problem, options);
}
LineCut cut_for_cycle(const Formulation& problem, const SolverOptions& options, int parts) {
  return multigrid_method.cut(problem, options, parts);
}
LineCut cut_for_fit(const Formulation& problem, const SolverOptions& options, int parts) {
  return fitted_method.cut(problem, options, parts);
}

}  // namespace

constinit const MethodEntry newton_multigrid_method{
    Method::mg, cannot_cycle, cut_for_cycle, bytes<multigrid_method>, make<CycleCorrector>, true};
constinit const MethodEntry newton_fitted_method{
    Method::fd, cannot_fit, cut_for_fit, bytes<fitted_method>, make<FittedCorrector>, true};

}  // namespace halocline::collocation
