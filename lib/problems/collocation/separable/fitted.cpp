// Method fd: BiCGSTAB on the collocation equations, preconditioned by the inverse of a fitted separable operator
// (fitted_terms.hpp). Any coefficients; iterations do not grow with the mesh, but with what no fit catches.
#include "lib/problems/collocation/separable/fitted.hpp"
#include "lib/problems/collocation/methods.hpp"
#include "lib/problems/collocation/nodal_solver.hpp"
#include "lib/problems/collocation/separable/separable.hpp"

namespace halocline::collocation {

namespace {

class FittedSolver final : public NodalIteration {
 public:
  FittedSolver(const Context& context, const Formulation& problem, const SolverOptions& options)
      : NodalIteration(context, problem),
        inverse_(space_, problem.x, problem.y, system_.equations, context.all_threads()) {
    krylov_ = make_half_step_bicgstab<double>(
        space_, {.tolerance = options.tolerance, .max_iterations = options.max_iterations, .sums = options.sums});
  }

  void begin() override {
    fill(x_, 0);
    krylov_->begin(*system_.product, &inverse_, b_, x_);
  }

  Traffic traffic() const override { return system_.product->sent() + inverse_.sent(); }

  // Two products (8 vectors; 2 with constant coefficients), two inverses with their scaling (9 + 3), 23 of BiCGSTAB.
  double bytes_per_iteration() const override {
    const double vector = 8 * problem_.unknowns();
    return ((problem_.constants ? 4 : 16) + 24 + 23) * vector;
  }
  std::string describe() const override { return "BiCGSTAB, preconditioned by a fitted separable operator"; }
  std::string advice() const override { return "try solver.method: mg"; }

 private:
  FittedInverse inverse_;
};

std::optional<std::string> cannot(const Formulation& problem, const SolverOptions& /*options*/) {
  return needs_constant_sides(problem);
}

std::size_t bytes(const Formulation& problem, const SolverOptions& /*options*/, Index lines) {
  const NodalBlock block{0, lines, problem.x.elements(), problem.y.elements()};
  // Eight vectors of BiCGSTAB and the two of separable_bytes, row scale and scaled equations; six coefficients.
  const Index vectors = 8 + 2 + (problem.constants ? 0 : 6);
  return separable_bytes(problem, lines, fitted_in_closed_form(problem)) +
         static_cast<std::size_t>(vectors * block.size()) * sizeof(double);
}

std::unique_ptr<Solver> make(const Context& context, const Formulation& problem, const SolverOptions& options) {
  return std::make_unique<FittedSolver>(context, problem, options);
}

}  // namespace

constinit const MethodEntry fitted_method{Method::fd, cannot, in_strips, bytes, make};

}  // namespace halocline::collocation
