// Boundary: the part of the solution that the given side values fix, as Hermite unknowns of the boundary nodes.
//
// U = V + G, V with u = 0 on the sides, G nonzero on boundary nodes alone. For every side the values g at its nodes and
// scaled slopes along it; where two sides meet, their corner value counts once.
#pragma once

#include <array>
#include <vector>

#include "lib/problems/collocation/axis.hpp"

namespace halocline::collocation {

enum class Side { x_min, x_max, y_min, y_max };
constexpr std::array<const char*, 4> side_names{"x_min", "x_max", "y_min", "y_max"};

// Along one side, (value, scaled slope) of every node: 2n + 2 numbers.
using SideData = std::vector<double>;

class Boundary {
 public:
  // Sides in the order of Side: x sides run along y, y sides along x.
  Boundary(std::array<SideData, 4> sides, Index nx, Index ny);

  // Unknown (x_slope, y_slope) of node (i, j) in G: (0,0) is u, (1,0) s_x u_x, (0,1) s_y u_y, (1,1) s_x s_y u_xy.
  double value(Index i, int x_slope, Index j, int y_slope) const;
  // True when all side data are zero.
  bool homogeneous() const { return homogeneous_; }
  // Largest difference of the two values at a corner, and the largest value on any side.
  double corner_gap() const;
  double largest() const;
  const SideData& side(Side which) const { return sides_[static_cast<std::size_t>(which)]; }

 private:
  std::array<SideData, 4> sides_;
  Index nx_, ny_;
  bool homogeneous_ = true;
};

}  // namespace halocline::collocation
