// The size of data, by which the methods schur scale it: squares of very small or large data would leave the range of
// numbers, and a power of two as a factor changes no digit.
#pragma once

#include "lib/linalg/vector.hpp"

namespace halocline::collocation {

// A power of two near the largest of what the ranks give; 1 where that is 0 or no number. Collective.
double power_near(const Communicator& comm, double largest);

// Divides a vector by such a power of its largest absolute value, which it returns. Collective.
double scale_to_one(Vector<double>& x);

}  // namespace halocline::collocation
