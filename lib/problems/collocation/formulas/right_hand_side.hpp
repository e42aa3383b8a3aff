// Right-hand sides f - L G of the lines of a part in the layout of nodal_layout.hpp, made where the part lives.
#pragma once

#include "lib/fields/formula_grid.hpp"
#include "lib/problems/collocation/discretization/nodal_layout.hpp"
#include "lib/problems/collocation/formulas/require_finite.hpp"

namespace halocline::collocation {

// `to`: block.size() numbers in memory of the executor, perhaps uninitialized. When f is not finite somewhere, `bad`
// tells where first, unless it is set already, and zeros stand there. `threads`: of an executor that is the host. What
// is queued may still run on return.
void right_hand_side(const ExecutorPtr& executor, const Formulation& problem, const NodalBlock& block, int threads,
                     double* to, std::optional<GaussPoint>& bad, FormulaPath path = FormulaPath::of_executor);

}  // namespace halocline::collocation
