// Sums of several vectors that Krylov methods take in one message, by name; those that are not computed are NaN.
#pragma once

#include <limits>

namespace halocline {

constexpr double unknown_sum = std::numeric_limits<double>::quiet_NaN();

// Of conjugate gradients after w = A u, with residual r and q = A p of the last direction.
struct EnergySums {
  double uw = unknown_sum, ru = unknown_sum, rr = unknown_sum, qu = unknown_sum;
};

// Of BiCGSTAB after t = A M^-1 s, with the shadow residual r0.
struct StepSums {
  double tt = unknown_sum, ts = unknown_sum, ss = unknown_sum, r0_t = unknown_sum, r0_s = unknown_sum;
};

// The same with those of a correction c = M^-1 s and of x.
struct CorrectionSums {
  StepSums step;
  double cc = unknown_sum, xx = unknown_sum;
};

}  // namespace halocline
