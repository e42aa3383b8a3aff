// The kernel of one medium, K(s) = sum_i c_i s^-b_i / Gamma(1 - b_i), as a sum of decaying exponentials with positive
// weights, to a relative error on [shortest, longest].
//
// The trapezoidal rule of the integral over e^{b y - s e^y} (Beylkin, Monzon, ACHA 28 (2010) 131) with the fast
// exponentials that no distance sees dropped and the slow ones replaced by the Gauss rule of their own discrete
// measure.
#pragma once

#include <vector>

#include "lib/problems/fractional/weights/terms.hpp"

namespace halocline::fractional {

struct KernelRange {
  double shortest, longest;  // distances in s at which the kernel is needed, 0 < shortest <= longest
  double eps;                // relative error wanted, 1e-14 .. 1e-1
};

struct ExponentialSum {
  std::vector<double> rates;    // ascending
  std::vector<double> weights;  // K(s) = sum_k weights[k] e^{-rates[k] s}
};

// Terms of order 1 are local and have no kernel; without others the sum is empty.
ExponentialSum exponential_sum(const Medium& medium, const KernelRange& range);

// K(s) itself.
double kernel(const Medium& medium, double s);

// The largest relative error of `sum` as K, at 4000 points of the range, spaced logarithmically.
double measured_error(const ExponentialSum& sum, const Medium& medium, const KernelRange& range);

}  // namespace halocline::fractional
