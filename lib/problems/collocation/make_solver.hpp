// Which method solves a problem, and its solver.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "lib/problems/collocation/formulation.hpp"
#include "lib/problems/collocation/solver.hpp"

namespace halocline::collocation {

// The method that the options name, or that `auto` stands for: closed_form where it can, else mg, else fd, else schur.
struct MethodChoice {
  std::optional<Method> method;  // none: no method can, or not the one named
  // For `auto`: why, as in "closed_form, since a, c and eta are constant ..."; without a method: what stands against
  // it.
  std::string reason;
};
MethodChoice choose_method(const Formulation& problem, const SolverOptions& options);

// For these three, `options` are resolved: a method that can solve the problem, tolerance and limit.

// Parts begin at lines that are multiples of this.
Index line_chunk(const Formulation& problem, const SolverOptions& options, int parts);
// Device memory of a part with so many lines.
std::size_t solver_bytes(const Formulation& problem, const SolverOptions& options, Index lines);
// `problem` outlives the solver. Collective. Throws DeckError where f is not finite.
std::unique_ptr<Solver> make_solver(const Context& context, const Formulation& problem, const SolverOptions& options);

}  // namespace halocline::collocation
