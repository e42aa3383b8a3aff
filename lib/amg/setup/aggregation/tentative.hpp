// Interpolation that is constant on aggregates, or shows given vectors exactly, before it is smoothed.
#pragma once

#include "lib/amg/setup/aggregation/aggregates.hpp"
#include "lib/amg/setup/aggregation/nodes.hpp"

namespace halocline::amg {

// 1 at every row and its aggregate; -1: none. `aggregate`: of own rows of every part, in its executor's memory.
sparse::DistCrs members(const sparse::RowSpacePtr& rows, const sparse::RowSpacePtr& aggregates,
                        const std::vector<const Index*>& aggregate);

// Orthonormal vectors on every aggregate that span the given ones there: factors Q of QR; rows of the next level are
// those vectors, aggregate by aggregate, and the factors R are what the given vectors are on it.
struct Tentative {
  sparse::DistCrs transposed;              // rows of the next level, where they were found, by rows of the level
  std::vector<Array<Index, 1>> aggregate;  // of own rows of `transposed`
  std::vector<PartVector> vectors;         // of the next level, the same
};

// `aggregates`: of the nodes, whose rows are `incidence`. Columns of which less than 1e-5 is left are dropped.
// Collective.
Tentative tentative(const sparse::DistCrs& incidence, const Aggregates& aggregates,
                    const std::vector<PartVector>& vectors);

}  // namespace halocline::amg
