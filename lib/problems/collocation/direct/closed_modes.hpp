// The closed form (closed_basis.hpp) as the y part and the x part of a separable inverse.
#pragma once

#include "lib/problems/collocation/direct/closed_basis.hpp"
#include "lib/problems/collocation/direct/modes.hpp"

namespace halocline::collocation {

// Eigenvalues of c u_yy by place of the mode, [2][mode_width]; places without a mode repeat another's.
std::vector<double> closed_mode_values(const Axis& y, double c);
std::unique_ptr<AlongY> make_closed_along(const Axis& y, const NodalBlock& block, const ExecutorPtr& executor);

// a u_xx + (eta + mode value) u for constant a, eta on an axis that has a closed form. With several parts by turning
// all modes (AcrossByColumns): the same bits for any number of parts.
std::unique_ptr<AcrossX> make_closed_across(const Communicator& comm, const Team& team,
                                            const std::vector<NodalBlock>& blocks, const Axis& x, double a, double eta,
                                            const std::vector<double>& mode_values);

}  // namespace halocline::collocation
