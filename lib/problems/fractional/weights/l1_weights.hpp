// Weights of the psi-L1 scheme, which takes C as linear in s between levels: D^order C(s_l) = sum_{m <= l} A_{l,m}
// (C^m - C^{m-1}). Order of accuracy 2 - order on smooth C.
#pragma once

#include <span>

#include "lib/problems/fractional/weights/levels.hpp"

namespace halocline::fractional {

// (1 - order)/width int_near^{near + width} z^-order dz: Gamma(2 - order) times what a cell of this width, whose nearer
// end is at distance `near` >= 0, gives per unit of its increment. 0 < order <= 1; at order 1 it is the limit, 1/width
// at near = 0 and else 0.
double cell_share(double order, double near, double width);

// A_{l,m} for m = first .. first + weights.size() - 1 <= l, one order in (0, 1].
void l1_weights(const Levels& levels, double order, Index l, Index first, std::span<double> weights);

}  // namespace halocline::fractional
