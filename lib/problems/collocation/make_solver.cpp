#include "lib/problems/collocation/make_solver.hpp"

#include <algorithm>
#include <array>

#include "lib/problems/collocation/methods.hpp"

namespace halocline::collocation {

namespace {

constexpr std::array entries{
    &schur_method,     &block_schur_method, &refined_method, &closed_form_method,      &pencil_method,
    &separable_method, &multigrid_method,   &fitted_method,  &newton_multigrid_method, &newton_fitted_method};

constexpr const char* closed_form_applies =
    "a, c and eta are constant, b = d = e = 0, the mesh is uniform, and both ends of each axis are of one kind";

// The first entry of a method that can solve the problem, or the last one's reason why it cannot.
MethodChoice try_method(Method method, const Formulation& problem, const SolverOptions& options) {
  MethodChoice choice{nullptr, std::string(word_for(method)) + ": not available", options.resolved(method)};
  for (const MethodEntry* entry : entries) {
    if (entry->method != method) continue;
    if (entry->nonlinear != (problem.nonlinear != nullptr)) {
      if (problem.nonlinear) choice.reason = std::string(word_for(method)) + ": needs an equation that is linear in u";
      continue;
    }
    const auto refusal = entry->cannot(problem, choice.options);
    if (!refusal) return {entry, "", choice.options};
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
  return {Partition(problem.x.distinct_nodes(), cut.chunk, weights, cut.least), cut.note};
}

std::size_t solver_bytes(const MethodChoice& choice, const Formulation& problem, Index lines) {
  return choice.entry->bytes(problem, choice.options, lines);
}

std::unique_ptr<Solver> make_solver(const Context& context, const MethodChoice& choice, const Formulation& problem) {
  return choice.entry->make(context, problem, choice.options);
}

}  // namespace halocline::collocation
