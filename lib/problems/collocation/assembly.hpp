// Assembly: right-hand sides f - L G of the lines of a part, on the host.
#pragma once

#include <optional>
#include <vector>

#include "lib/problems/collocation/formulation.hpp"
#include "lib/problems/collocation/lines.hpp"
#include "lib/problems/collocation/nodal.hpp"
#include "lib/problems/collocation/schur.hpp"

namespace halocline::collocation {

struct GaussPoint {
  double x, y;
};

// Right-hand side of all lines of a part for the method of schur.hpp, which needs constant coefficients and Dirichlet
// conditions on the x sides. When f is not finite somewhere, `bad` tells where.
PartRightHandSide assemble(const Formulation& problem, const LineBlock& block, int threads,
                           std::optional<GaussPoint>& bad);

// The same in the layout of nodal.hpp (block.size() numbers), for every other method.
std::vector<double> nodal_right_hand_side(const Formulation& problem, const NodalBlock& block, int threads,
                                          std::optional<GaussPoint>& bad);

}  // namespace halocline::collocation
