// The limit of stability of several fields that react.
//
// Frozen at a cell and a wave, a step multiplies by 1 + dt (J - s D): J the derivatives of the sources, D diagonal, s
// the symbol of the mask. No eigenvalue of s D - J has a larger real part than the largest eigenvalue of a matrix with
// s D - J on the diagonal and |J| beside it, which grows with every entry: so largest values over all cells are enough,
// and units of the fields do not matter. Steps are stable up to 2 over this rate where eigenvalues are real.
#pragma once

#include <span>

#include "lib/problems/diffusion/reactions/rates_layout.hpp"

namespace halocline::diffusion {

// The fastest rate of `fields` fields: `decay` as above, D times the largest symbol of each.
double fastest_rate(int fields, const ReactionRates& decay, std::span<const double> diffusion);

}  // namespace halocline::diffusion
