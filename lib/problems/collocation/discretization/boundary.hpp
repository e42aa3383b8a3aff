// Boundary: the part of the solution that the given side values fix, as Hermite unknowns of the boundary nodes.
//
// U = Ex V Ey^T + G, where V fulfills the end conditions of both axes with value 0 and G is nonzero on boundary nodes
// alone. Every side has the Hermite vector of its data alpha u + beta du/dn along it: Gx for the two x sides, Gy for
// the two y sides. With the functionals B and liftings N of the axes (axis.hpp),
//   G = Nx Gx + Gy Ny^T - Nx C Ny^T,   C = Gx By^T, or Bx Gy in the corners of y sides that are not Dirichlet.
// Where conditions vary along sides, G is the lifting of side_conditions.hpp, node by node. Sides that are periodic are
// none: they have zeros as data.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "lib/problems/collocation/axes/axis.hpp"
#include "lib/problems/collocation/axes/side_conditions.hpp"
#include "lib/problems/collocation/discretization/side_kernels.hpp"

namespace halocline::collocation {

enum class Side { x_min, x_max, y_min, y_max };
constexpr std::array<const char*, 4> side_names{"x_min", "x_max", "y_min", "y_max"};

// Along one side, (value, scaled slope) of every node: 2n + 2 numbers.
using SideData = std::vector<double>;

// The Hermite function along `axis` that has the given values at the Gauss points and to which the axis's functionals
// (at the low and the high end) give `ends`.
SideData spline_through(const Axis& axis, const std::vector<double>& at_gauss, const std::array<double, 2>& ends);

class Boundary {
 public:
  // Sides in the order of Side: x sides run along y, y sides along x. `mean_corners`: where two Dirichlet sides meet, C
  // is the mean of Gx By^T and Bx Gy. `conditions`: where they vary along sides, of this mesh or a finer one; else
  // those of the axes hold.
  Boundary(std::array<SideData, 4> sides, const Axis& x, const Axis& y, bool mean_corners = false,
           std::shared_ptr<const SideConditions> conditions = nullptr);

  // Unknown (x_slope, y_slope) of node (i, j) in G: (0,0) is u, (1,0) s_x u_x, (0,1) s_y u_y, (1,1) s_x s_y u_xy.
  double value(Index i, int x_slope, Index j, int y_slope) const {
    if (i > 0 && i < nx_ && j > 0 && j < ny_) return 0;
    return view().value(i, x_slope, j, y_slope);
  }
  SidesView view() const;  // of this object's memory
  // True when all side data are zero.
  bool homogeneous() const { return homogeneous_; }
  // Largest difference of the two values at a corner of two Dirichlet sides, and the largest value on any side.
  double corner_gap() const { return corner_gap_; }
  bool mean_corners() const { return mean_corners_; }
  double largest() const;
  // Null where those of the axes hold.
  const SideConditions* conditions() const { return conditions_.get(); }
  const std::shared_ptr<const SideConditions>& shared_conditions() const { return conditions_; }
  const std::vector<double>& liftings() const { return liftings_; }  // side_liftings(); none without conditions()
  const SideData& side(Side which) const { return sides_[static_cast<std::size_t>(which)]; }

 private:
  using Pair = std::array<double, 2>;
  void lift(const Axis& x, const Axis& y);
  std::array<SideData, 4> sides_;
  Index nx_, ny_;
  std::array<Pair, 2> lifting_x_{}, lifting_y_{};  // [low, high]; zero where there are no sides
  std::array<Pair, 2> corner_{};                   // C: [x end][y end]
  double corner_gap_ = 0;
  bool homogeneous_ = true, mean_corners_;
  std::shared_ptr<const SideConditions> conditions_;
  std::vector<double> liftings_;
};

}  // namespace halocline::collocation
