// Copies of small matrices on every part: levels below some size are solved by all parts alike, without messages.
#pragma once

#include "lib/linalg/sparse/dist_crs.hpp"

namespace halocline::sparse {

// All rows on every part; `rows` and `columns` are those of `a`, replicated. Collective.
DistCrs replicate(const DistCrs& a, RowSpacePtr rows, RowSpacePtr columns);

// The same rows on the same parts, whose columns are replicated from here on: there are no ghosts. Collective.
DistCrs replicate_columns(const DistCrs& a, RowSpacePtr columns);

}  // namespace halocline::sparse
