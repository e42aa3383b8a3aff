// Assembly: right-hand sides of the lines of a part, and the operator applied to a solution, on the host.
#pragma once

#include <optional>
#include <vector>

#include "lib/problems/collocation/formulation.hpp"
#include "lib/problems/collocation/lines.hpp"
#include "lib/problems/collocation/schur.hpp"

namespace halocline::collocation {

struct GaussPoint {
  double x, y;
};

// Right-hand side f - L G of all lines of a part. When f is not finite somewhere, `bad` tells where.
PartRightHandSide assemble(const Formulation& problem, const LineBlock& block, int threads,
                           std::optional<GaussPoint>& bad);

// L u at the 2ny Gauss points of column g in x, for u given by four unknowns at every node of the lines e = g/2 and
// e + 1: `line` and `next` hold 4 (ny + 1) numbers, (u, s_x u_x, s_y u_y, s_x s_y u_xy) per node.
void apply_operator(const Formulation& problem, Index g, const double* line, const double* next, double* result);

}  // namespace halocline::collocation
