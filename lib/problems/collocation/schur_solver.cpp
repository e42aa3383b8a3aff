#include "lib/problems/collocation/schur_solver.hpp"

#include "lib/base/error.hpp"
#include "lib/problems/collocation/line_matrices.hpp"

namespace halocline::collocation {

std::optional<std::string> cannot_schur(const Formulation& problem) {
  if (!problem.constants) return "needs constant coefficients";
  if ((*problem.constants)[1] != 0 || (*problem.constants)[3] != 0) return "needs b = 0 and d = 0";
  if (!problem.x.uniform()) return "needs a mesh that is uniform along x";
  for (const End end : {End::low, End::high})
    if (!problem.x.condition(end).dirichlet()) return "needs u given on the x sides";
  try {
    line_coefficients(problem.equation, problem.x.mean_length(), problem.y);
  } catch (const NumericalError& error) {
    return "cannot: " + std::string(error.what());
  }
  return std::nullopt;
}

}  // namespace halocline::collocation
