// MatrixDigest: whether a matrix has the pattern, or the pattern and the values, of another one that is gone.
#pragma once

#include "lib/linalg/sparse/dist_crs.hpp"

namespace halocline::sparse {

// Sums of hashes of all entries, the same on any partition.
struct MatrixDigest {
  Bits pattern = 0, values = 0;
  friend bool operator==(const MatrixDigest&, const MatrixDigest&) = default;
};

// Collective.
MatrixDigest digest_of(const DistCrs& a);

}  // namespace halocline::sparse
