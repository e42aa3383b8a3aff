// Assembly: right-hand sides of the lines of a part in the layout of line_layout.hpp, evaluated by the part's executor
// and put in order on the host.
#pragma once

#include <vector>

#include "lib/problems/collocation/discretization/line_layout.hpp"
#include "lib/problems/collocation/formulas/right_hand_side.hpp"

namespace halocline::collocation {

// Rows are half the sum and half the difference of the equations f - L G at the Gauss points right and left of each
// line. Red: groups() + 1 groups, each lane followed by the red line after its strip. Black: groups() groups. Places
// without a line are zero.
struct PartRightHandSide {
  std::vector<double> red, black;
};

// For the method of schur.hpp, which needs constant coefficients and Dirichlet conditions on the x sides. `threads` and
// `bad` as in right_hand_side().
PartRightHandSide assemble(const ExecutorPtr& executor, const Formulation& problem, const LineBlock& block, int threads,
                           std::optional<GaussPoint>& bad);

}  // namespace halocline::collocation
