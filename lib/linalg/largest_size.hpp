// The size of the largest number of a vector.
#pragma once

#include "lib/linalg/vector.hpp"

namespace halocline {

// max |x_i| over all ranks; NaN where a number is none or infinite. Collective.
double largest_size(const Vector<double>& x);

}  // namespace halocline
