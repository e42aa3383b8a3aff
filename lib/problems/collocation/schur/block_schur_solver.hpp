// Method schur for general coefficients: BiCGSTAB on the Schur complement of block_schur.hpp.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "lib/problems/collocation/formulation.hpp"
#include "lib/problems/collocation/solver.hpp"

namespace halocline::collocation {

// Why the method cannot solve the problem, in words that follow its name; nothing when it can.
std::optional<std::string> cannot_block_schur(const Formulation& problem, const SolverOptions& options);

// Bytes of a part with so many lines.
std::size_t block_schur_bytes(const Formulation& problem, const SolverOptions& options, Index lines);

// `problem` outlives the solver. Collective. Throws DeckError where f is not finite, NumericalError when the equations
// of a grid line are singular.
std::unique_ptr<Solver> make_block_schur_solver(const Context& context, const Formulation& problem,
                                                const SolverOptions& options);

}  // namespace halocline::collocation
