// Method schur-mixed: the source's iterative refinement. Outer residuals of the full system in double, inner
// corrections by BiCGSTAB on the Schur complement in single or double precision (solver.precision), each limited to
// solver.inner_maxit iterations or a residual of 1e-3. Starts at x = h^2 f and ends at ||r|| <= tol ||r_0||.
//
// Every correction starts a new Krylov space, so that more iterations are needed than by method schur.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "lib/problems/collocation/formulation.hpp"
#include "lib/problems/collocation/solver.hpp"

namespace halocline::collocation {

// Why the method cannot solve the problem, in words that follow its name; nothing when it can.
std::optional<std::string> cannot_refined(const Formulation& problem, const SolverOptions& options);

// Bytes of a part with so many lines.
std::size_t refined_bytes(const Formulation& problem, const SolverOptions& options, Index lines);

// Iterations of the solver are outer steps. `problem` outlives it. Collective. Throws DeckError where f is not finite,
// NumericalError when the equations of a grid line are singular.
std::unique_ptr<Solver> make_refined_solver(const Context& context, const Formulation& problem,
                                            const SolverOptions& options);

}  // namespace halocline::collocation
