// Ends: the ways from the vectors of a solver into a scaled finest level and out of it.
#pragma once

#include <memory>

#include "lib/linalg/vector.hpp"

namespace halocline::amg {

// Factors of every row, of the same space as the solver's vectors.
struct Ends {
  Vector<double> in, out;
};
using EndsPtr = std::shared_ptr<const Ends>;

// The Euclidean norm of what goes in for r, before it is rounded. Collective.
double norm_inside(const Ends& ends, const Vector<double>& r);

}  // namespace halocline::amg
