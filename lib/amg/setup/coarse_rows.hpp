// The rows of the next level: whose they are, what they were on the finest level, and matrices that every part holds.
#pragma once

#include <span>
#include <vector>

#include "lib/amg/setup/pmis.hpp"

namespace halocline::amg {

// `rows` rows cut anew at multiples of 4096, so that loads stay even and small levels live on few parts. `weights`: of
// all parts.
sparse::RowSpacePtr distributed_rows(const sparse::RowSpace& fine, Index rows, std::span<const double> weights);
// The same rows, all of them on every part.
sparse::RowSpacePtr replicated_rows(const sparse::RowSpace& distributed);

// Numbers that the C-points of `fine` have there, given to the parts that own them as rows of `coarse`. Collective.
std::vector<Array<Index, 1>> of_coarse_rows(const sparse::DistCrs& fine, const Splitting& splitting,
                                            const std::vector<Array<Index, 1>>& numbers,
                                            const sparse::RowSpace& coarse);

// All rows of a square matrix for every part. `rows`: replicated_rows() of those of `a`. Collective.
sparse::DistCrs replicated(const sparse::DistCrs& a, const sparse::RowSpacePtr& rows);
// A matrix whose columns become those of a replicated level. Collective.
sparse::DistCrs with_replicated_columns(const sparse::DistCrs& a, const sparse::RowSpacePtr& columns);

}  // namespace halocline::amg
