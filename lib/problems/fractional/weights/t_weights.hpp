// Weights of the scheme that takes C as linear in t between levels, for psi = t^gamma and equal steps in t: the scheme
// of the psi-Caputo CUDA paper.
#pragma once

#include <span>

#include "lib/base/types.hpp"

namespace halocline::fractional {

// A_{l,m} for m = first .. first + weights.size() - 1 <= l: b_{m-1} / (Gamma(1 - order) step) with
// b_s = int_{t_s}^{t_{s+1}} (t_l^gamma - tau^gamma)^-order dtau. 0 < order < 1, gamma > 0, `step` in t. Relative error
// 2e-12 at l = 2000.
void t_linear_weights(double order, double gamma, double step, Index l, Index first, std::span<double> weights);

}  // namespace halocline::fractional
