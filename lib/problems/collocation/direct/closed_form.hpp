// Method closed_form: equal elements, constant a, c, eta and nothing else, each axis Dirichlet or Neumann at both ends.
//
// One application in double precision, whatever solver.precision says: transforms in single precision would need a
// second application and a residual, which move more bytes. A solve reads f and writes x, and reads and writes x
// twice: 6 vectors. With several parts all modes travel twice, see ModeExchange.
#pragma once

#include <optional>
#include <string>

#include "lib/problems/collocation/solver.hpp"

namespace halocline::collocation {

// Why the method cannot solve the problem, in words that follow "method closed_form"; nothing when it can.
std::optional<std::string> cannot_closed_form(const Formulation& problem, const SolverOptions& options);
// Memory of a part of so many lines.
std::size_t closed_form_bytes(const Formulation& problem, const SolverOptions& options, Index lines);
std::unique_ptr<Solver> make_closed_form_solver(const Context& context, const Formulation& problem,
                                                const SolverOptions& options);

}  // namespace halocline::collocation
