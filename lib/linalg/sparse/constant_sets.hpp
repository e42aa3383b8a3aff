// Sets of rows on which a matrix maps constants to zero, as the equations of a potential that is given nowhere.
#pragma once

#include <vector>

#include "lib/linalg/sparse/dist_crs.hpp"

namespace halocline::sparse {

struct ConstantSets {
  Index count = 0;
  // Of every row the number of its set, from 1, sets being numbered by their lowest rows; 0: none. One array for every
  // part of this rank; none at all where there are no sets, or more than were wanted.
  std::vector<Array<double, 1>> of_rows = {};
};

// Connected components of the graph of a square matrix all of whose rows have a sum of at most 1e-12 times that of
// their magnitudes. Where the pattern is not symmetric a set may be too large: the caller has to try. Collective.
ConstantSets constant_sets(const DistCrs& a, Index most);

}  // namespace halocline::sparse
