// transpose: entries go to the owners of their columns.
#pragma once

#include "lib/linalg/sparse/dist_crs.hpp"

namespace halocline::sparse {

// The rows of the result are the columns of `a`, which are not replicated. Collective.
DistCrs transpose(const DistCrs& a);

}  // namespace halocline::sparse
