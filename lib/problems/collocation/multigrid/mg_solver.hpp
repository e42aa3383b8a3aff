// The method `mg`: BiCGSTAB on the collocation equations, preconditioned by a multigrid cycle.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "lib/problems/collocation/solver.hpp"

namespace halocline::collocation {

// Why the method does not apply, in words; nothing when it does.
std::optional<std::string> cannot_multigrid(const Formulation& problem, const SolverOptions& options);
// For `parts` parts. Distributed levels need parts that begin with a line of the coarsest of them.
LineCut cut_for_multigrid(const Formulation& problem, const SolverOptions& options, int parts);
// Device memory of a part that owns this many lines.
std::size_t multigrid_bytes(const Formulation& problem, const SolverOptions& options, Index lines);
// Both must outlive the solver. Throws DeckError when f is not finite, NumericalError when the equations of the
// coarsest mesh are singular.
std::unique_ptr<Solver> make_multigrid_solver(const Context& context, const Formulation& problem,
                                              const SolverOptions& options);

}  // namespace halocline::collocation
