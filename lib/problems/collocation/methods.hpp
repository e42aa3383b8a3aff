// The methods: what is known of each before it solves anything, and how to make its solver. One source each, whose head
// says what the method does and what it costs.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "lib/problems/collocation/solver.hpp"

namespace halocline::collocation {

// A method may have several entries, for narrower and wider classes of problems.
struct MethodEntry {
  Method method;
  // Why the method cannot solve the problem, in words that follow its name; nothing when it can.
  std::optional<std::string> (*cannot)(const Formulation& problem, const SolverOptions& options);
  // How it shares out lines among so many parts.
  LineCut (*cut)(const Formulation& problem, const SolverOptions& options, int parts);
  // Device memory of a part that owns so many lines.
  std::size_t (*bytes)(const Formulation& problem, const SolverOptions& options, Index lines);
  // Context and problem outlive the solver. Collective. Throws DeckError where f is not finite, NumericalError when
  // equations that the method solves by themselves are singular: those of a grid line, a coarsest mesh, a mode.
  std::unique_ptr<Solver> (*make)(const Context& context, const Formulation& problem, const SolverOptions& options);
  bool nonlinear = false;  // for equations that are not linear in u, and for these alone
};

extern const MethodEntry schur_method;        // schur/schur_solver.cpp
extern const MethodEntry block_schur_method;  // schur/block_schur_solver.cpp
extern const MethodEntry refined_method;      // schur/refinement.cpp
extern const MethodEntry closed_form_method;  // closed/closed_form.cpp
extern const MethodEntry pencil_method;       // direct/pencil.cpp
extern const MethodEntry separable_method;    // separable/separable.cpp
extern const MethodEntry multigrid_method;    // multigrid/mg_solver.cpp
extern const MethodEntry fitted_method;       // separable/fitted.cpp
// Newton's method with corrections by mg and by fd.
extern const MethodEntry newton_multigrid_method, newton_fitted_method;  // newton/newton_methods.cpp

// `cannot` of methods that need the end conditions of the axes.
inline std::optional<std::string> needs_constant_sides(const Formulation& problem) {
  if (problem.periodic())
    return std::string("takes no periodic sides; ") + (problem.nonlinear ? "mg takes them" : "mg and schur take them");
  if (problem.boundary.conditions() == nullptr) return std::nullopt;
  return std::string("needs one kind of condition, with constant alpha and beta, along each side; ") +
         (problem.nonlinear ? "mg takes others" : "mg and schur take others");
}
// Of methods for which neighboring lines along x are of two colors.
inline std::optional<std::string> needs_even_lines(const Formulation& problem, const SolverOptions& /*options*/) {
  if (!problem.x.periodic() || problem.x.elements() % 2 == 0) return std::nullopt;
  return "needs an even number of elements along x where x is periodic; mg takes odd ones";
}
// What to try where a Krylov method on lines finds no way: words that follow "method".
inline const char* methods_beside_schur(const Formulation& problem, const SolverOptions& options) {
  return fitted_method.cannot(problem, options) ? "mg" : "mg or fd";
}
// `cut` of methods whose parts begin at multiples of so many lines; a pair is a red and a black line.
template <Index chunk>
LineCut in_chunks(const Formulation& /*problem*/, const SolverOptions& /*options*/, int /*parts*/) {
  return {chunk};
}
constexpr auto in_lines = in_chunks<1>, in_pairs = in_chunks<2>;

}  // namespace halocline::collocation
