// How many fields may react, and the rates at which they do.
#pragma once

#include <array>

namespace halocline::diffusion {

constexpr int most_fields = 8;
constexpr int most_rates = most_fields * most_fields;

// Largest values over all cells, at least 0: of -dS_f/df on the diagonal, of |dS_f/dg| beside it. [f * fields + g]
using ReactionRates = std::array<double, most_rates>;

}  // namespace halocline::diffusion
