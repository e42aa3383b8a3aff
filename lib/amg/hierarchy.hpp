// Algebraic multigrid of a matrix: levels by C-points or by aggregates of rows, made scaled in T.
//
// The hierarchy of a matrix is the same to the bit on any partition and any device.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "lib/amg/level.hpp"
#include "lib/amg/refresh.hpp"
#include "lib/amg/rows_of_others.hpp"
#include "lib/linalg/sparse/dist_matrix.hpp"
#include "lib/multigrid/hierarchy.hpp"

namespace halocline::amg {

struct HierarchyOptions {
  CoarseningOptions coarsening;
  WeightOptions weights;
  SmootherOptions smoother;
  Exchanges exchanges = Exchanges::automatic;  // of a visit on levels behind the finest
};

// The coarsest level is inverted up to so many rows, and swept over beyond.
inline constexpr Index most_inverted_rows = 4096;

template <class T>
struct MadeHierarchy {
  std::unique_ptr<multigrid::Hierarchy<T>> levels;
  EndsPtr ends;  // of the finest level
  HierarchyFacts facts;
  std::unique_ptr<Refresh<T>> refresh;  // null unless CoarseningOptions::keep
};

// `matrix` was made from `a` and gives its vectors, and the format of the finest level. `weights`: shares of all parts
// in the rows of distributed levels.
// Parts of `a` begin at multiples of 1024 rows. `a`: a diagonal other than zero in every row. Collective.
template <class T>
MadeHierarchy<T> make_hierarchy(const sparse::DistCrs& a, const sparse::DistMatrix& matrix,
                                const HierarchyOptions& options, std::span<const double> weights, RowKinds kinds = {});

}  // namespace halocline::amg
