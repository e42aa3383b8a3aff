// Method pencil: a(x) u_xx + c(y) u_yy + eta u on any mesh with any ends, both axes by dense eigenvectors: 64 n^3
// operations per solve and two symmetric eigenproblems of order 2n before. With several parts all modes travel twice,
// see ModeExchange, and every part holds all eigenvectors.
#pragma once

#include <optional>
#include <string>

#include "lib/problems/collocation/solver.hpp"

namespace halocline::collocation {

// As in closed_form.hpp.
std::optional<std::string> cannot_pencil(const Formulation& problem, const SolverOptions& options);
std::size_t pencil_bytes(const Formulation& problem, const SolverOptions& options, Index lines);
// Resonance shows here, once the eigenvalues are known: NumericalError.
std::unique_ptr<Solver> make_pencil_solver(const Context& context, const Formulation& problem,
                                           const SolverOptions& options);

}  // namespace halocline::collocation
