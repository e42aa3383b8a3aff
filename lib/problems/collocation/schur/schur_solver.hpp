// Method schur for constant coefficients on a mesh that is uniform along x: BiCGSTAB on the Schur complement of
// schur.hpp, whose lines are pentadiagonal.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "lib/problems/collocation/formulation.hpp"
#include "lib/problems/collocation/solver.hpp"

namespace halocline::collocation {

// Why the method cannot solve the problem, in words that follow its name; nothing when it can.
std::optional<std::string> cannot_schur(const Formulation& problem, const SolverOptions& options);

// Bytes of a part with so many lines.
std::size_t schur_bytes(const Formulation& problem, const SolverOptions& options, Index lines);

// `problem` outlives the solver. Throws DeckError where f is not finite.
std::unique_ptr<Solver> make_schur_solver(const Context& context, const Formulation& problem,
                                          const SolverOptions& options);

}  // namespace halocline::collocation
