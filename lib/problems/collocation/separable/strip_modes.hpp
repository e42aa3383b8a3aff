// For every mode along y: a(x) u_xx + d(x) u_x + (eta(x) + mode value) u across the lines, banded, in strips of lines
// (strip_kernels.hpp). With several parts every part solves the interfaces of all strips for a share of the modes,
// whose strips it has factored: three numbers per own strip and mode travel there and two come back
// (mpi/halo/turn.hpp); the same bits for any number of parts.
#pragma once

#include "lib/problems/collocation/axes/axis.hpp"
#include "lib/problems/collocation/direct/modes.hpp"

namespace halocline::collocation {

// Coefficients at the Gauss points of x.
struct AxisOperator {
  std::vector<double> a, d, eta;
};

// Parts begin at multiples of strip_length() lines and have at least so many.
std::unique_ptr<AcrossX> make_strip_across(const Communicator& comm, const Team& team,
                                           const std::vector<NodalBlock>& blocks, const Axis& x,
                                           const AxisOperator& terms, const std::vector<double>& mode_values);

}  // namespace halocline::collocation
