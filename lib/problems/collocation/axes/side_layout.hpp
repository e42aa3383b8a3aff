// Numbers of the nodes on the sides of a mesh, for tables: x_min, x_max (both with their corners), y_min, y_max.
#pragma once

#include "lib/base/types.hpp"

namespace halocline::collocation {

struct SideNodes {
  Index nx, ny;  // elements

  HALOCLINE_HD Index count() const { return 2 * (nx + 1) + 2 * (ny + 1); }
  HALOCLINE_HD bool on_side(Index i, Index j) const { return i == 0 || i == nx || j == 0 || j == ny; }
  // Of a node on a side; that of an x side where two meet.
  HALOCLINE_HD Index number(Index i, Index j) const {
    if (i == 0) return j;
    if (i == nx) return ny + 1 + j;
    return 2 * (ny + 1) + (j == 0 ? i : nx + 1 + i);
  }
};

}  // namespace halocline::collocation
