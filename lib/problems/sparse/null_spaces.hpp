// Null spaces of singular systems: found from the matrix, taken from right sides.
#pragma once

#include <memory>
#include <string>

#include "lib/krylov/null_space.hpp"
#include "lib/linalg/sparse/dist_matrix.hpp"

namespace halocline::sparse {

struct FoundNullSpace {
  std::unique_ptr<NullSpace> space;  // null: none, or none that can be projected
  std::string note = {};             // for the log; empty: nothing to say
};

// The constants on components of the graph of `a` whose rows and columns have the sum 0. `matrix` is made from `a`.
// Throws DeckError where there are too many. Collective.
FoundNullSpace find_null_space(const DistCrs& a, const DistMatrix& matrix);

// Takes its part in the null space from a right side; returns how large that was, relative to b. Throws DeckError where
// it is more than rounding and not `wanted`, since then there is no solution. Collective.
double project_rhs(const NullSpace& space, bool wanted, Vector<double>& b);

}  // namespace halocline::sparse
