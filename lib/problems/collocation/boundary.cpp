#include "lib/problems/collocation/boundary.hpp"

#include <algorithm>
#include <cmath>

namespace halocline::collocation {

Boundary::Boundary(std::array<SideData, 4> sides, Index nx, Index ny) : sides_(std::move(sides)), nx_(nx), ny_(ny) {
  homogeneous_ = largest() == 0;
  for (const SideData& side : sides_)
    for (double value : side) homogeneous_ = homogeneous_ && value == 0;
}

double Boundary::value(Index i, int x_slope, Index j, int y_slope) const {
  const bool on_x_side = x_slope == 0 && (i == 0 || i == nx_), on_y_side = y_slope == 0 && (j == 0 || j == ny_);
  double sum = 0;
  if (on_x_side) sum += side(i == 0 ? Side::x_min : Side::x_max)[2 * j + y_slope];
  if (on_y_side) sum += side(j == 0 ? Side::y_min : Side::y_max)[2 * i + x_slope];
  if (on_x_side && on_y_side) sum -= side(i == 0 ? Side::x_min : Side::x_max)[2 * j];
  return sum;
}

double Boundary::corner_gap() const {
  double gap = 0;
  for (const bool right : {false, true})
    for (const bool top : {false, true}) {
      const double along_y = side(right ? Side::x_max : Side::x_min)[top ? 2 * ny_ : 0];
      const double along_x = side(top ? Side::y_max : Side::y_min)[right ? 2 * nx_ : 0];
      gap = std::max(gap, std::abs(along_y - along_x));
    }
  return gap;
}

double Boundary::largest() const {
  double largest = 0;
  for (const SideData& side : sides_)
    for (std::size_t i = 0; i < side.size(); i += 2) largest = std::max(largest, std::abs(side[i]));
  return largest;
}

}  // namespace halocline::collocation
