// Weights of Alikhanov's scheme (L2-1_sigma) in s on any mesh: C is quadratic in each cell but the last, through the
// levels at its ends and the next one. D^order C(s*) = sum_{m <= l} A_{l,m} (C^m - C^{m-1}), s* = theta s_{l-1} +
// (1 - theta) s_l. Order 2 with the theta of theta.hpp. Alikhanov, JCP 280 (2015) 424; nonuniform: Liao, McLean, Zhang,
// arXiv:1803.09873.
//
// Cell m gives a_m delta^m + b_m (rho_m delta^{m+1} - delta^m), rho_m = Delta_m/Delta_{m+1}; b_m, the difference
// from linear, is computed without cancellation for all orders, so that weights keep full relative accuracy.
#pragma once

#include <span>

#include "lib/problems/fractional/weights/levels.hpp"

namespace halocline::fractional {

// A_{l,m} for m = first .. first + weights.size() - 1 <= l, one order in (0, 1], 0 <= theta < 1.
void alikhanov_weights(const Levels& levels, double order, double theta, Index l, Index first,
                       std::span<double> weights);

// a_m - b_m, 1 <= m < l: what cell m alone gives per unit of its own increment, without what the cell before adds.
double alikhanov_cell(const Levels& levels, double order, double theta, Index l, Index m);

}  // namespace halocline::fractional
