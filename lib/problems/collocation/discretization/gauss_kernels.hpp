// Bodies for gpu/launch.hpp and what they need at the Gauss points of a mesh: places of equations, the operator.
#pragma once

#include <cmath>

#include "lib/problems/collocation/discretization/nodal_layout.hpp"

namespace halocline::collocation {

// The equation of Gauss point (gx, gy), among those of its node's line.
struct GaussEquation {
  Index line, place;
  HALOCLINE_HD GaussEquation(const NodalBlock& block, Index gx, Index gy)
      : line(block.periodic_x && gx + 1 == 2 * block.nx ? 0 : (gx + 1) / 2),
        place(block.place(static_cast<int>((gx + 1) % 2 + 2 * ((gy + 1) % 2)),
                          block.periodic_y && gy + 1 == 2 * block.ny ? 0 : (gy + 1) / 2)) {}
};

// Zeros around the values of every component: rows (own line, array, component) x numbers beside the ny values.
template <class T>
struct ClearAround {
  NodalBlock block;
  Index arrays;  // per line
  T* to;

  HALOCLINE_HD void operator()(Index row, Index n) const {
    const int c = static_cast<int>(row % 4);
    const Index line = block.first_line + row / (4 * arrays), width = block.stride() - block.ny;
    const bool absent = c % 2 == 0 ? block.on_x_min(line) : block.on_x_max(line);
    const Index before = block.place(0, c < 2 && !block.periodic_y ? 1 : 0);
    T* const component = to + row * block.stride();
    if (absent) {
      for (Index at = n; at < block.stride(); at += width) component[at] = 0;
    } else {
      component[n < before ? n : n + block.ny] = 0;
    }
  }
};

// Fused in this order by hand: contraction left to compilers gives other bits in every place that uses it.
HALOCLINE_HD inline double dot_of_four(const double* a, double b0, double b1, double b2, double b3) {
  return fma(a[3], b3, fma(a[2], b2, fma(a[0], b0, a[1] * b1)));
}

// L at a tensor grid of Gauss points. Trivially copyable; passed by value into kernel bodies.
struct GaussOperator {
  const double *x, *y;    // rows of the axes at the points along x and y: [point][order][(v, w) of the element's nodes]
  Index rows;             // points along y
  const double* sampled;  // coefficients, [column][coefficient][row], or null
  double constant[6];     // where sampled is null

  // Derivatives along x, of order p at to[p * stride], from the four unknowns of an element's two lines.
  HALOCLINE_HD void along_x(Index column, double u0, double u1, double u2, double u3, double* to, Index stride) const {
    for (int p = 0; p < 3; ++p) to[p * stride] = dot_of_four(x + 12 * column + 4 * p, u0, u1, u2, u3);
  }
  // L u from such derivatives at the element's nodes, [order][(v, w) of both nodes].
  HALOCLINE_HD double along_y(Index column, Index row, const double* of_x, Index stride) const {
    constexpr int px[6] = {2, 1, 0, 1, 0, 0}, py[6] = {0, 1, 2, 0, 1, 0};
    double sum = 0;
    for (int k = 0; k < 6; ++k) {
      const double* v = of_x + px[k] * stride;
      const double coefficient = sampled ? sampled[(6 * column + k) * rows + row] : constant[k];
      const double term = dot_of_four(y + 12 * row + 4 * py[k], v[0], v[1], v[2], v[3]);
      sum = fma((k == 1 ? 2 : 1) * coefficient, term, sum);
    }
    return sum;
  }
  // L u at a point, for the unknowns of its element, [m along x][n along y].
  HALOCLINE_HD double operator()(Index column, Index row, const double (&u)[4][4]) const {
    double of_x[3][4];
    for (int n = 0; n < 4; ++n) along_x(column, u[0][n], u[1][n], u[2][n], u[3][n], &of_x[0][n], 4);
    return along_y(column, row, &of_x[0][0], 4);
  }
};

}  // namespace halocline::collocation
