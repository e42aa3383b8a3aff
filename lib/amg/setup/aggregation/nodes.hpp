// Nodes: rows of a system in blocks, and vectors that its coarse levels must be able to show.
//
// Unknowns of a node belong together: they get into one aggregate, whose rows on the next level are a node there. Rows
// of a node may lie on two parts.
#pragma once

#include <span>
#include <vector>

#include "lib/amg/setup/strength.hpp"

namespace halocline::amg {

inline constexpr int most_near_null_vectors = 16;

// An array of own rows for every part.
using PartVector = std::vector<Array<double, 1>>;

struct Nodes {
  sparse::RowSpacePtr space;             // distributed as the rows are, or replicated
  std::vector<Array<Index, 1>> numbers;  // of own nodes of every part: on the finest level; they ascend
  std::vector<Array<Index, 1>> of_rows;  // of own rows of every part: the node
  std::vector<PartVector> vectors;
};

// Of the finest level. `of_rows`: nodes 0, 1, ... of own rows, or empty where every row is one. `component`: which
// unknown of its node each own row is, from 0 on; where there are no `vectors`, constants of every component are taken.
// `weights`: shares of all parts. Collective.
Nodes first_nodes(const sparse::DistCrs& a, std::vector<Array<Index, 1>> of_rows, std::vector<PartVector> vectors,
                  const std::vector<Array<Index, 1>>& component, std::span<const double> weights);

// 1 at every row and its node.
sparse::DistCrs incidence(const sparse::DistCrs& a, const Nodes& nodes);

// Frobenius norms of the blocks that couple nodes. Collective.
sparse::DistCrs node_matrix(const sparse::DistCrs& a, const sparse::DistCrs& incidence);

// Of norms of blocks: n_ij is strong if n_ij > 0.08 sqrt(n_ii n_jj). Collective.
Strength node_strength(const sparse::DistCrs& norms);

}  // namespace halocline::amg
