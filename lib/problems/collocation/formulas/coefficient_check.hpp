// Checks of the coefficients at all Gauss points of the lines of a part, where the part lives.
#pragma once

#include <optional>

#include "lib/fields/formula_grid.hpp"
#include "lib/problems/collocation/discretization/coefficients.hpp"
#include "lib/problems/collocation/discretization/nodal_layout.hpp"

namespace halocline::collocation {

// The first fault found, lowest in x, then in y, if any. `threads`: of an executor that is the host.
std::optional<CoefficientFault> check_coefficients(const ExecutorPtr& executor, const Formulation& problem,
                                                   const NodalBlock& block, bool allow_indefinite, int threads,
                                                   FormulaPath path = FormulaPath::of_executor);

}  // namespace halocline::collocation
