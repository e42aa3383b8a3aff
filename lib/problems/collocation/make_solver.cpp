#include "lib/problems/collocation/make_solver.hpp"

#include <algorithm>
#include <array>

#include "lib/base/error.hpp"
#include "lib/problems/collocation/schur_solver.hpp"

namespace halocline::collocation {

namespace {

// What is known of a method. A method may have several entries, for narrower and wider classes of problems.
struct Entry {
  Method method;
  std::optional<std::string> (*cannot)(const Formulation&, const SolverOptions&);
  Index (*line_chunk)(const Formulation&, int parts);
  std::size_t (*bytes)(const Formulation&, const SolverOptions&, Index lines);
  std::unique_ptr<Solver> (*make)(const Context&, const Formulation&, const SolverOptions&);
};

constexpr std::array entries{
    Entry{Method::schur, cannot_schur, schur_line_chunk, schur_bytes, make_schur_solver},
};

std::string name_of(Method method) { return method_names[static_cast<std::size_t>(method)]; }

// The first entry of a method that can solve the problem; null, with the last one's reason, when there is none.
const Entry* find(Method method, const Formulation& problem, const SolverOptions& options, std::string& reason) {
  reason = "is not available";
  const SolverOptions resolved = options.resolved(method);
  for (const Entry& entry : entries) {
    if (entry.method != method) continue;
    const auto refusal = entry.cannot(problem, resolved);
    if (!refusal) return &entry;
    reason = *refusal;
  }
  return nullptr;
}

const Entry& entry_of(const Formulation& problem, const SolverOptions& options) {
  std::string reason;
  const Entry* found = find(static_cast<Method>(options.method), problem, options, reason);
  require(found != nullptr, "collocation: a method that can solve the problem");
  return *found;
}

}  // namespace

MethodChoice choose_method(const Formulation& problem, const SolverOptions& options) {
  const auto named = static_cast<Method>(options.method);
  std::string reason;
  if (named != Method::automatic) {
    if (find(named, problem, options, reason) != nullptr) return {named, ""};
    return {std::nullopt, name_of(named) + " " + reason};
  }
  std::string against;
  for (const Method method : {Method::closed_form, Method::mg, Method::fd, Method::schur}) {
    if (find(method, problem, options, reason) != nullptr) {
      if (against.empty())
        against =
            "a, c and eta are constant, b = d = e = 0, the mesh is uniform, and u or its derivative is given at "
            "both ends of each axis";
      return {method, name_of(method) + ", since " + against};
    }
    against += (against.empty() ? "" : ", ") + name_of(method) + " " + reason;
  }
  return {std::nullopt, "auto finds none: " + against};
}

Index line_chunk(const Formulation& problem, const SolverOptions& options, int parts) {
  return entry_of(problem, options).line_chunk(problem, parts);
}

std::size_t solver_bytes(const Formulation& problem, const SolverOptions& options, Index lines) {
  return entry_of(problem, options).bytes(problem, options, lines);
}

std::unique_ptr<Solver> make_solver(const Context& context, const Formulation& problem, const SolverOptions& options) {
  return entry_of(problem, options).make(context, problem, options);
}

}  // namespace halocline::collocation
