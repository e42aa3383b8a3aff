// For every mode along y: a(x) u_xx + d(x) u_x + (eta(x) + mode value) u across the lines, banded, in strips of lines
// (strip_kernels.hpp); the same bits for any number of parts. With a few parts each solves the interfaces of all
// strips: three numbers per strip and mode go from all to all. With more, each does so for a share of the modes, whose
// strips it has factored: three numbers per own strip and mode travel there and two come back (mpi/halo/turn.hpp).
#pragma once

#include "lib/problems/collocation/axes/axis.hpp"
#include "lib/problems/collocation/direct/modes.hpp"

namespace halocline::collocation {

constexpr int least_parts_that_share = 6;

// Coefficients at the Gauss points of x.
struct AxisOperator {
  std::vector<double> a, d, eta;
};

// Parts begin at multiples of strip_length() lines and have at least so many.
std::unique_ptr<AcrossX> make_strip_across(const Communicator& comm, const Team& team,
                                           const std::vector<NodalBlock>& blocks, const Axis& x,
                                           const AxisOperator& terms, const std::vector<double>& mode_values);

}  // namespace halocline::collocation
