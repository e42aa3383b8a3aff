// How work on columns of points along y is cut for a device.
#pragma once

#include <algorithm>

#include "lib/fields/formula_grid.hpp"

namespace halocline::collocation {

// Host threads take whole columns, of which a few at a time stay in caches; a GPU wants many threads.
struct ColumnCut {
  ColumnCut(const Executor& executor, FormulaPath path, Index columns, Index points) {
    const bool gpu = by_points(executor, path);
    const Index wanted =
        gpu ? (Index{1} << 20) / points : std::max<Index>((Index{1} << 13) / points, 1) * executor.threads();
    step = std::clamp<Index>(wanted, 1, std::max<Index>(columns, 1));
    chunk = gpu ? 64 : points;
    pieces = (points + chunk - 1) / chunk;
  }
  Index step;    // columns whose values are in memory at a time
  Index chunk;   // points of a column that one thread adds up
  Index pieces;  // of a column
};

}  // namespace halocline::collocation
