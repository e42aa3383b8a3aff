// smoothed: a tentative interpolation after a step of Jacobi's method (Vanek, Mandel, Brezina, Computing 56, 1996).
#pragma once

#include "lib/amg/setup/strength.hpp"

namespace halocline::amg {

// P = (I - diag(w) A_F) P_0, w_i = min(2/3, 4/3 abs(f_ii) / sum_j abs(f_ij)) / f_ii: the row sums take the place of an
// estimate of the largest eigenvalue, so that nothing is summed over parts. A_F = [f_ij] has the strong couplings of
// `a`, the others added to its diagonal unless less than a tenth of it would be left; all couplings where `strength` is
// null. Collective.
sparse::DistCrs smoothed(const sparse::DistCrs& a, const Strength* strength, const sparse::DistCrs& tentative);

}  // namespace halocline::amg
