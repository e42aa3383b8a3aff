// Body for gpu/launch.hpp: the solution and its derivatives at the Gauss points of a part's equations.
#pragma once

#include "lib/problems/collocation/discretization/equation_kernels.hpp"
#include "lib/problems/collocation/discretization/gauss_kernels.hpp"

namespace halocline::collocation {

// Own lines x nodes: derivatives in the order of coefficients (u_xx, u_xy, u_yy, u_x, u_y, u) at the four equations of
// a node. Fused in one order by hand, as in gauss_kernels.hpp.
struct DerivativesAtEquations {
  EquationView<double> equations;
  NodalLines<double> u;  // whole, with what the sides give
  double* to[6];         // [own line][component][stride] each; null: not wanted

  HALOCLINE_HD void operator()(Index i, Index j) const {
    const NodalBlock& block = equations.block;
    const Index line = block.first_line + i;
    for (int qx = 0; qx < 2; ++qx) {
      if (qx == 0 ? block.on_x_min(line) : block.on_x_max(line)) continue;
      const double *low = u.line(i - 1 + qx), *high = u.line(i + qx);
      for (int qy = 0; qy < 2; ++qy) {
        if (qy == 0 ? block.on_y_min(j) : block.on_y_max(j)) continue;
        const int c = qx + 2 * qy;
        at_point(line, j, qx, qy, low, high, i * block.line_size() + block.place(c, j));
      }
    }
  }

 private:
  HALOCLINE_HD void at_point(Index line, Index j, int qx, int qy, const double* low, const double* high,
                             Index place) const {
    constexpr int px[6] = {2, 1, 0, 1, 0, 0}, py[6] = {0, 1, 2, 0, 1, 0};
    const NodalBlock& block = equations.block;
    double x[3][4], y[3][4], along[3][4];
    for (int p = 0; p < 3; ++p)
      for (int m = 0; m < 4; ++m) {
        x[p][m] = equations.x(qx, p, m, line);
        y[p][m] = equations.y(qy, p, m, j);
      }
    for (int n = 0; n < 4; ++n) {
      const Index node = j - 1 + qy + n / 2;
      const Index at = block.place(2 * (n % 2), block.periodic_y ? block.wrapped_node(node) : node);
      const Index slope = at + block.stride();
      for (int p = 0; p < 3; ++p) along[p][n] = dot_of_four(x[p], low[at], low[slope], high[at], high[slope]);
    }
    for (int k = 0; k < 6; ++k) {
      const double* v = along[px[k]];
      if (to[k] != nullptr) to[k][place] = dot_of_four(y[py[k]], v[0], v[1], v[2], v[3]);
    }
  }
};

}  // namespace halocline::collocation
