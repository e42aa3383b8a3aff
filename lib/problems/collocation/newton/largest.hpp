// The largest number of a vector of equations or unknowns.
#pragma once

#include "lib/linalg/vector.hpp"
#include "mpi/communicator.hpp"

namespace halocline::collocation {

// max |x_i|; NaN where a number is none. Collective.
double largest_of(const Communicator& comm, const Vector<double>& x);

}  // namespace halocline::collocation
