// Assembly: right-hand sides f - L G of the lines of a part, on the host.
#pragma once

#include <optional>
#include <vector>

#include "lib/problems/collocation/discretization/line_layout.hpp"
#include "lib/problems/collocation/discretization/nodal_layout.hpp"
#include "lib/problems/collocation/formulation.hpp"
#include "mpi/communicator.hpp"

namespace halocline::collocation {

struct GaussPoint {
  double x, y;
};

// Right-hand side of one part on the host, rows as in line_layout.hpp: half the sum and half the difference of the
// equations at the Gauss points right and left of each line. Red: groups() + 1 groups, each lane followed by the red
// line after its strip. Black: groups() groups. Places without a line are zero.
struct PartRightHandSide {
  std::vector<double> red, black;
};

// Right-hand side of all lines of a part for the method of schur.hpp, which needs constant coefficients and Dirichlet
// conditions on the x sides. When f is not finite somewhere, `bad` tells where.
PartRightHandSide assemble(const Formulation& problem, const LineBlock& block, int threads,
                           std::optional<GaussPoint>& bad);

// The same in the layout of nodal_layout.hpp (block.size() numbers), for every other method.
std::vector<double> nodal_right_hand_side(const Formulation& problem, const NodalBlock& block, int threads,
                                          std::optional<GaussPoint>& bad);

// The same into block.size() numbers in host memory, which may be uninitialized.
void fill_nodal_right_hand_side(const Formulation& problem, const NodalBlock& block, int threads, double* to,
                                std::optional<GaussPoint>& bad);

// The first point, line by line, of those that belong to the block's lines where f is not finite.
std::optional<GaussPoint> find_not_finite(const Formulation& problem, const NodalBlock& block);

// Throws DeckError on every rank when `bad` is set on any. Collective.
void require_finite(const Communicator& comm, const Formulation& problem, const std::optional<GaussPoint>& bad);

}  // namespace halocline::collocation
