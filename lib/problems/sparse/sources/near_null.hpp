// Vectors that coarse levels of aggregation must be able to show, and the nodes of rows.
#pragma once

#include <vector>

#include "lib/problems/sparse/formulation.hpp"
#include "lib/problems/sparse/sources/row_numbers.hpp"

namespace halocline::sparse {

struct NearNull {
  std::vector<Array<Index, 1>> node;  // of own rows; empty: every row is one
  std::vector<PartValues> vectors;    // on own rows; none: constants
};

// What amg.near_null_space asks for, of rows that are numbered by `numbers` where it is not empty; nothing unless
// amg.type is aggregation. `components`, `coordinates`: as in System. Collective.
NearNull near_null_of(const RowSpace& rows, const Formulation& formulation, const BlockOptions& options,
                      const RowNumbers& numbers, const std::vector<Array<Index, 1>>& components,
                      const std::vector<PartValues>& coordinates);

// Unknowns of a node, numbered node by node; 1 where that is not known. Coordinates without components are of one, too.
Index unknowns_of_node(const BlockOptions& options);

}  // namespace halocline::sparse
