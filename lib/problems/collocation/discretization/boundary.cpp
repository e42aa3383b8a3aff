#include "lib/problems/collocation/discretization/boundary.hpp"

#include <algorithm>
#include <cmath>

#include "lib/linalg/lapack.hpp"

namespace halocline::collocation {

namespace {

constexpr std::array<End, 2> both_ends{End::low, End::high};

}  // namespace

SideData spline_through(const Axis& axis, const std::vector<double>& at_gauss, const std::array<double, 2>& ends) {
  const Index n = axis.elements();
  SideData spline(static_cast<std::size_t>(2 * n + 2), 0);
  for (const End end : both_ends) {
    const auto lifting = axis.lifting(end);
    const std::size_t first = end == End::low ? 0 : spline.size() - 2;
    for (int k = 0; k < 2; ++k) spline[first + k] = ends[static_cast<std::size_t>(end)] * lifting[k];
  }
  BandedMatrix matrix(2 * n, 2, 2);
  std::vector<double> z = at_gauss;  // first the right-hand side
  for (Index g = 0; g < 2 * n; ++g) {
    const auto full = axis.row(0, g), inner = axis.eliminated_row(0, g);
    for (int m = 0; m < 4; ++m) {
      z[g] -= full[m] * spline[2 * (g / 2) + m];
      const Index column = 2 * (g / 2) - 1 + m;
      if (column >= 0 && column < 2 * n) matrix.at(g, column) = inner[m];
    }
  }
  BandedLu(std::move(matrix)).solve(z.data());
  for (Index k = 1; k < 2 * n - 1; ++k) spline[k + 1] += z[k];
  for (const End end : both_ends) {
    const auto tangent = axis.tangent(end);
    const std::size_t first = end == End::low ? 0 : spline.size() - 2;
    for (int k = 0; k < 2; ++k) spline[first + k] += (end == End::low ? z.front() : z.back()) * tangent[k];
  }
  return spline;
}

Boundary::Boundary(std::array<SideData, 4> sides, const Axis& x, const Axis& y, bool mean_corners,
                   std::shared_ptr<const SideConditions> conditions)
    : sides_(std::move(sides)),
      nx_(x.elements()),
      ny_(y.elements()),
      mean_corners_(mean_corners),
      conditions_(std::move(conditions)) {
  for (const SideData& side : sides_)
    for (double value : side) homogeneous_ = homogeneous_ && value == 0;
  if (conditions_) {
    lift(x, y);
    return;
  }
  for (std::size_t ex = 0; ex < 2; ++ex) {
    if (!x.periodic()) lifting_x_[ex] = x.lifting(both_ends[ex]);
    if (!y.periodic()) lifting_y_[ex] = y.lifting(both_ends[ex]);
    if (x.periodic() || y.periodic()) continue;  // no corners
    for (std::size_t ey = 0; ey < 2; ++ey) {
      const auto bx = x.functional(both_ends[ex]), by = y.functional(both_ends[ey]);
      const double* along_y = sides_[ex].data() + (ey == 0 ? 0 : 2 * ny_);
      const double* along_x = sides_[2 + ey].data() + (ex == 0 ? 0 : 2 * nx_);
      const double from_x_side = along_y[0] * by[0] + along_y[1] * by[1];
      const double from_y_side = along_x[0] * bx[0] + along_x[1] * bx[1];
      const bool dirichlet = y.condition(both_ends[ey]).dirichlet();
      corner_[ex][ey] = dirichlet ? from_x_side : from_y_side;
      const bool both = dirichlet && x.condition(both_ends[ex]).dirichlet();
      if (both && mean_corners) corner_[ex][ey] = 0.5 * (from_x_side + from_y_side);
      if (both) corner_gap_ = std::max(corner_gap_, std::abs(from_x_side - from_y_side));
    }
  }
}

// Where both sides of a corner give u, they are to agree, or their mean holds.
void Boundary::lift(const Axis& x, const Axis& y) {
  std::array<SideData, 4> data = sides_;
  const bool corners = !x.periodic() && !y.periodic();
  for (std::size_t ex = 0; ex < 2 && corners; ++ex)
    for (std::size_t ey = 0; ey < 2; ++ey) {
      const std::vector<NodeCondition>&on_x = conditions_->sides[ex], &on_y = conditions_->sides[2 + ey];
      const NodeCondition &from_x = ey == 0 ? on_x.front() : on_x.back(),
                          &from_y = ex == 0 ? on_y.front() : on_y.back();
      if (!from_x.gives_u() || !from_y.gives_u()) continue;
      double &value_x = data[ex][ey == 0 ? 0 : static_cast<std::size_t>(2 * ny_)],
             &value_y = data[2 + ey][ex == 0 ? 0 : static_cast<std::size_t>(2 * nx_)];
      const double u_x = value_x / from_x.alpha, u_y = value_y / from_y.alpha;
      corner_gap_ = std::max(corner_gap_, std::abs(u_x - u_y));
      if (!mean_corners_) continue;
      value_x = 0.5 * (u_x + u_y) * from_x.alpha;
      value_y = 0.5 * (u_x + u_y) * from_y.alpha;
    }
  liftings_ = side_liftings(*conditions_, data, x, y);
}

SidesView Boundary::view() const {
  SidesView view{};
  view.liftings = conditions_ ? liftings_.data() : nullptr;
  view.nx = nx_;
  view.ny = ny_;
  for (std::size_t side = 0; side < 4; ++side) view.side[side] = sides_[side].data();
  for (std::size_t end = 0; end < 2; ++end)
    for (std::size_t k = 0; k < 2; ++k) {
      view.lifting_x[end][k] = lifting_x_[end][k];
      view.lifting_y[end][k] = lifting_y_[end][k];
      view.corner[end][k] = corner_[end][k];
    }
  return view;
}

double Boundary::largest() const {
  double largest = 0;
  for (const SideData& side : sides_)
    for (std::size_t i = 0; i < side.size(); i += 2) largest = std::max(largest, std::abs(side[i]));
  return largest;
}

}  // namespace halocline::collocation
