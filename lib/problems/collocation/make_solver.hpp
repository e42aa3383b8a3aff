// Which method solves a problem, and its solver.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "lib/problems/collocation/formulation.hpp"
#include "lib/problems/collocation/solver.hpp"
#include "mpi/partition.hpp"

namespace halocline::collocation {

struct MethodEntry;  // what is known of a method

// The method that the options name, or that `auto` stands for: closed_form where it can, else mg, else fd, else schur.
struct MethodChoice {
  const MethodEntry* entry = nullptr;  // null: no method can, or not the one named
  // For `auto`: why, as in "closed_form, since a, c and eta are constant ..."; without an entry: what stands against.
  std::string reason;
  SolverOptions options;  // resolved
};
MethodChoice choose_method(const Formulation& problem, const SolverOptions& options);

// For these the choice has an entry.

// "mg", say.
const char* method_name(const MethodChoice& choice);
// The lines of all parts, for the plan. DeckError when there are too many parts for the method.
struct LinePlan {
  Partition partition;
  std::string note;  // for the user
};
LinePlan plan_lines(const MethodChoice& choice, const Formulation& problem, std::span<const double> weights);
// Device memory of a part with so many lines.
std::size_t solver_bytes(const MethodChoice& choice, const Formulation& problem, Index lines);
// `problem` outlives the solver. Collective. Throws DeckError where f is not finite.
std::unique_ptr<Solver> make_solver(const Context& context, const MethodChoice& choice, const Formulation& problem);

}  // namespace halocline::collocation
