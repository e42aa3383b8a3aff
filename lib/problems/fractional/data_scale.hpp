// How large c is to be expected, and what is larger: signs of steps that are not stable.
#pragma once

#include "lib/problems/fractional/formulation.hpp"

namespace halocline::fractional {

// The largest magnitude of initial state, of what sides give, and of what the source makes of c up to the end without
// diffusion and decay, by samples. 0: nothing is given.
double scale_of_data(const Formulation& formulation);

// The largest value of sigma in a sample of the nodes.
double largest_capacity(const Formulation& formulation);

}  // namespace halocline::fractional
