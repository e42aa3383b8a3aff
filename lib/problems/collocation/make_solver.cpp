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

namespace halocline::collocation {

// A method may have several entries, for narrower and wider classes of problems.
struct MethodEntry {
  Method method;
  std::optional<std::string> (*cannot)(const Formulation&, const SolverOptions&);
  Index (*line_chunk)(const Formulation&, int parts);
  std::size_t (*bytes)(const Formulation&, const SolverOptions&, Index lines);
  std::unique_ptr<Solver> (*make)(const Context&, const Formulation&, const SolverOptions&);
  bool whole_chunks = false;  // parts have as many lines at least
};

namespace {

constexpr std::array entries{
    MethodEntry{Method::schur, cannot_schur, schur_line_chunk, schur_bytes, make_schur_solver},
    MethodEntry{Method::schur, cannot_block_schur, block_schur_line_chunk, block_schur_bytes, make_block_schur_solver},
    MethodEntry{Method::schur_mixed, cannot_refined, refined_line_chunk, refined_bytes, make_refined_solver},
    MethodEntry{Method::closed_form, cannot_closed_form, closed_form_line_chunk, closed_form_bytes,
                make_closed_form_solver},
    MethodEntry{Method::pencil, cannot_pencil, pencil_line_chunk, pencil_bytes, make_pencil_solver},
    MethodEntry{Method::separable, cannot_separable, separable_line_chunk, separable_bytes, make_separable_solver,
                true},
    MethodEntry{Method::mg, cannot_multigrid, multigrid_line_chunk, multigrid_bytes, make_multigrid_solver},
    MethodEntry{Method::fd, cannot_fitted, fitted_line_chunk, fitted_bytes, make_fitted_solver, true},
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

Partition line_partition(const MethodChoice& choice, const Formulation& problem, std::span<const double> weights) {
  const Index chunk = choice.entry->line_chunk(problem, static_cast<int>(weights.size()));
  return Partition(problem.x.elements() + 1, chunk, weights,
                   choice.entry->whole_chunks ? std::max<Index>(chunk, 2) : Index{2});
}

std::size_t solver_bytes(const MethodChoice& choice, const Formulation& problem, Index lines) {
  return choice.entry->bytes(problem, choice.options, lines);
}

std::unique_ptr<Solver> make_solver(const Context& context, const MethodChoice& choice, const Formulation& problem) {
  return choice.entry->make(context, problem, choice.options);
}

}  // namespace halocline::collocation
