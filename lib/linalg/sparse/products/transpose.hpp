// transpose: entries go to the owners of their columns.
#pragma once

#include "lib/linalg/sparse/dist_crs.hpp"

namespace halocline::sparse {

// How entries of a part get to their rows: strip by strip in order, as hosts do, or by many threads in any order, as
// GPUs do, with rows sorted afterwards. The result is the same.
enum class Scatter { automatic, strips, atomics };

// The rows of the result are the columns of `a`, which are not replicated. Collective.
DistCrs transpose(const DistCrs& a, Scatter scatter = Scatter::automatic);

}  // namespace halocline::sparse
