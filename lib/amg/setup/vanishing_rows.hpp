// Rows of coarse levels that are nothing but rounding, made exactly zero.
//
// The Galerkin product of a row that stands for a whole component of the graph on which constants are mapped to zero is
// zero, and so is that of any other vector that the matrix maps to zero; in numbers it is rounding, of either sign,
// which nothing may be divided by. What is small is told by the magnitude of a row: what the diagonal of the finest
// matrix gives along the vector that the row stands for, sum of p_i^2 abs(a_ii).
#pragma once

#include <vector>

#include "lib/amg/setup/ghost_exchange.hpp"
#include "lib/amg/setup/strength.hpp"

namespace halocline::amg {

// Of own rows of every part.
using Magnitudes = std::vector<Array<double, 1>>;

// Of the finest level: the sizes of diagonals.
Magnitudes magnitudes_of(const sparse::DistCrs& a, const RowSizes& sizes);
// Of the next level, whose rows are those of `restriction` and, where that is given, held as those of `held`: sums of
// squared entries times the magnitudes of the level. Collective.
Magnitudes next_magnitudes(const sparse::DistCrs& restriction, const Magnitudes& fine, const sparse::RowSpace* held);

// Rows of a set on which constants are mapped to zero get, where their sum is small, the diagonal that makes it zero;
// then rows with a small diagonal become zero, so that it is zero where nothing may be divided by it. `null_set`: see
// RowKinds; empty: there are none.
void clear_vanishing_rows(sparse::DistCrs& a, const Magnitudes& magnitudes,
                          const std::vector<Array<Index, 1>>& null_set);

}  // namespace halocline::amg
