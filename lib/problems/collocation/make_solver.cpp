#include "lib/problems/collocation/make_solver.hpp"

#include <algorithm>
#include <array>

#include "lib/problems/collocation/direct/closed_form.hpp"
#include "lib/problems/collocation/direct/pencil.hpp"
#include "lib/problems/collocation/multigrid/mg_solver.hpp"
#include "lib/problems/collocation/schur/block_schur_solver.hpp"
#include "lib/problems/collocation/schur/refinement.hpp"
#include "lib/problems/collocation/schur/schur_solver.hpp"
#include "lib/problems/collocation/separable/fitted.hpp"
#include "lib/problems/collocation/separable/separable.hpp"
#include "lib/problems/collocation/separable/strip_modes.hpp"

namespace halocline::collocation {

// A method may have several entries, for narrower and wider classes of problems.
struct MethodEntry {
  Method method;
  std::optional<std::string> (*cannot)(const Formulation&, const SolverOptions&);
  LineCut (*cut)(const Formulation&, const SolverOptions&, int parts);
  std::size_t (*bytes)(const Formulation&, const SolverOptions&, Index lines);
  std::unique_ptr<Solver> (*make)(const Context&, const Formulation&, const SolverOptions&);
};

namespace {

template <Index chunk>
LineCut in_chunks(const Formulation& /*problem*/, const SolverOptions& /*options*/, int /*parts*/) {
  return {chunk};
}
constexpr auto in_lines = in_chunks<1>, in_pairs = in_chunks<2>;  // a pair is a red and a black line

LineCut in_strips(const Formulation& problem, const SolverOptions& /*options*/, int /*parts*/) {
  const Index strip = strip_length(problem.x.elements());
  return {strip, std::max<Index>(strip, 2)};
}

constexpr std::array entries{
    MethodEntry{Method::schur, cannot_schur, in_pairs, schur_bytes, make_schur_solver},
    MethodEntry{Method::schur, cannot_block_schur, in_pairs, block_schur_bytes, make_block_schur_solver},
    MethodEntry{Method::schur_mixed, cannot_refined, in_pairs, refined_bytes, make_refined_solver},
    MethodEntry{Method::closed_form, cannot_closed_form, in_lines, closed_form_bytes, make_closed_form_solver},
    MethodEntry{Method::pencil, cannot_pencil, in_lines, pencil_bytes, make_pencil_solver},
    MethodEntry{Method::separable, cannot_separable, in_strips, separable_bytes, make_separable_solver},
    MethodEntry{Method::mg, cannot_multigrid, cut_for_multigrid, multigrid_bytes, make_multigrid_solver},
    MethodEntry{Method::fd, cannot_fitted, in_strips, fitted_bytes, make_fitted_solver},
};

constexpr const char* closed_form_applies =
    "a, c and eta are constant, b = d = e = 0, the mesh is uniform, and both ends of each axis are of one kind";

// The first entry of a method that can solve the problem, or the last one's reason why it cannot.
MethodChoice try_method(Method method, const Formulation& problem, const SolverOptions& options) {
  MethodChoice choice{nullptr, std::string(word_for(method)) + ": not available", options.resolved(method)};
  for (const MethodEntry& entry : entries) {
    if (entry.method != method) continue;
    const auto refusal = entry.cannot(problem, choice.options);
    if (!refusal) return {&entry, "", choice.options};
    choice.reason = std::string(word_for(method)) + ": " + *refusal;
  }
  return choice;
}

}  // namespace

MethodChoice choose_method(const Formulation& problem, const SolverOptions& options) {
  const auto named = options.method;
  if (named != Method::automatic) return try_method(named, problem, options);
  // On a mesh too narrow for multigrid a few iterations of schur solve anything, also what fd does not.
  const bool narrow = std::min(problem.x.elements(), problem.y.elements()) < 4;
  const std::array<Method, 4> order{Method::closed_form, Method::mg, narrow ? Method::schur : Method::fd,
                                    narrow ? Method::fd : Method::schur};
  std::string against;
  for (const Method method : order) {
    MethodChoice choice = try_method(method, problem, options);
    if (choice.entry != nullptr) {
      choice.reason = std::string(word_for(method)) + ", since " + (against.empty() ? closed_form_applies : against);
      return choice;
    }
    against += (against.empty() ? "" : "; ") + choice.reason;
  }
  return {nullptr, "auto finds no method. " + against, options};
}

const char* method_name(const MethodChoice& choice) { return word_for(choice.entry->method); }

LinePlan plan_lines(const MethodChoice& choice, const Formulation& problem, std::span<const double> weights) {
  const LineCut cut = choice.entry->cut(problem, choice.options, static_cast<int>(weights.size()));
  return {Partition(problem.x.elements() + 1, cut.chunk, weights, cut.least), cut.note};
}

std::size_t solver_bytes(const MethodChoice& choice, const Formulation& problem, Index lines) {
  return choice.entry->bytes(problem, choice.options, lines);
}

std::unique_ptr<Solver> make_solver(const Context& context, const MethodChoice& choice, const Formulation& problem) {
  return choice.entry->make(context, problem, choice.options);
}

}  // namespace halocline::collocation
