// SidesView: the part of the solution that the sides fix (boundary.hpp) as kernels read it, and bodies for
// gpu/launch.hpp that add it to unknowns and take it out of right-hand sides.
#pragma once

#include "lib/problems/collocation/axes/side_layout.hpp"
#include "lib/problems/collocation/discretization/gauss_kernels.hpp"

namespace halocline::collocation {

// Trivially copyable; passed by value into kernel bodies.
struct SidesView {
  const double* side[4];                    // in the order of Side: (value, scaled slope) of every node
  double lifting_x[2][2], lifting_y[2][2];  // [low, high][v, w]
  double corner[2][2];                      // [x end][y end]
  Index nx, ny;
  const double* liftings;  // of every node on a side (side_conditions.hpp), in the place of all that; or null

  // As Boundary::value().
  HALOCLINE_HD double value(Index i, int x_slope, Index j, int y_slope) const {
    const int ex = i == 0 ? 0 : (i == nx ? 1 : -1), ey = j == 0 ? 0 : (j == ny ? 1 : -1);
    if (liftings != nullptr)
      return ex < 0 && ey < 0 ? 0 : liftings[4 * SideNodes{nx, ny}.number(i, j) + x_slope + 2 * y_slope];
    double sum = 0;
    if (ex >= 0) sum += lifting_x[ex][x_slope] * side[ex][2 * j + y_slope];
    if (ey >= 0) sum += lifting_y[ey][y_slope] * side[2 + ey][2 * i + x_slope];
    if (ex >= 0 && ey >= 0) sum -= lifting_x[ex][x_slope] * corner[ex][ey] * lifting_y[ey][y_slope];
    return sum;
  }
};

// u += factor * G on lines x nodes, factor * G rounded to T.
template <class T>
struct AddSides {
  NodalBlock block;
  SidesView sides;
  double factor;
  T* u;

  HALOCLINE_HD void operator()(Index i, Index j) const {
    const Index line = block.first_line + i;
    if (line > 0 && line < block.nx && j > 0 && j < block.ny) return;
    for (int c = 0; c < 4; ++c)
      u[i * block.line_size() + block.place(c, j)] += static_cast<T>(factor * sides.value(line, c % 2, j, c / 2));
  }
};

// b -= L G at columns x rows of Gauss points, by lists of their numbers.
struct SubtractSides {
  NodalBlock block;
  SidesView sides;
  const Index *columns, *rows;
  GaussOperator at_points;
  double* b;

  HALOCLINE_HD void operator()(Index column, Index row) const {
    const Index gx = columns[column], gy = rows[row];
    double u[4][4];
    for (int m = 0; m < 4; ++m)
      for (int n = 0; n < 4; ++n) u[m][n] = sides.value(gx / 2 + m / 2, m % 2, gy / 2 + n / 2, n % 2);
    const GaussEquation at(block, gx, gy);
    b[(at.line - block.first_line) * block.line_size() + at.place] -= at_points(column, row, u);
  }
};

}  // namespace halocline::collocation
