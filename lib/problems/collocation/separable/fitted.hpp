// Method fd: BiCGSTAB on the collocation equations, preconditioned by the inverse of a fitted separable operator
// (fitted_terms.hpp). Any coefficients; iterations do not grow with the mesh, but with what no fit catches.
#pragma once

#include <optional>
#include <string>

#include "lib/problems/collocation/direct/modes.hpp"
#include "lib/problems/collocation/separable/fitted_terms.hpp"
#include "lib/problems/collocation/solver.hpp"

namespace halocline::collocation {

// x = S^-1 (f / r), S = px u_xx + py u_yy + eta0 u.
class FittedInverse final : public Operator<double> {
 public:
  // Blocks of the equations begin at multiples of strip_length(); `threads` of the host at work. Collective.
  FittedInverse(VectorSpacePtr space, const Axis& x, const Axis& y,
                const std::vector<const Equations<double>*>& equations, int threads);
  void apply(const Vector<double>& f, Vector<double>& x) const override;
  Traffic sent() const { return separable_->sent(); }

 private:
  VectorSpacePtr space_;
  std::vector<Array<double, 1>> inverse_scale_;
  mutable Vector<double> scaled_;
  std::unique_ptr<SeparableInverse> separable_;
};

// As in closed_form.hpp. Parts are made of whole strips, see strip_length().
std::optional<std::string> cannot_fitted(const Formulation& problem, const SolverOptions& options);
std::size_t fitted_bytes(const Formulation& problem, const SolverOptions& options, Index lines);
std::unique_ptr<Solver> make_fitted_solver(const Context& context, const Formulation& problem,
                                           const SolverOptions& options);

}  // namespace halocline::collocation
