// What the direct solvers of separable equations share: one application of the inverse.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "lib/problems/collocation/direct/modes.hpp"
#include "lib/problems/collocation/solver.hpp"

namespace halocline::collocation {

struct DirectMethod {
  std::string name;  // for messages
  double bytes = 0;  // that a solve must move at least
  std::function<std::unique_ptr<SeparableInverse>(const std::vector<NodalBlock>&)> make;
};
// The solve takes place in the first iterate(); its report has no residual, which the error of a direct method is not
// measured by. After a restart it is done again.
std::unique_ptr<Solver> make_direct_solver(const Context& context, const Formulation& problem, DirectMethod method);

}  // namespace halocline::collocation
