// Bodies for gpu/launch.hpp: a solution on the nodes of a part's lines, its errors and its residual, by points.
#pragma once

#include "lib/problems/collocation/discretization/gauss_kernels.hpp"

namespace halocline::collocation {

// What is no number is passed over here; it shows in the sums.
HALOCLINE_HD inline double larger(double a, double b) { return b > a ? b : a; }

// Physical values of the fields u, u_x, u_y, u_xy at nodes of own lines.
struct NodeFields {
  NodalBlock block;
  const double* u;
  const double *scale_x, *scale_y;  // of the nodes of the mesh

  HALOCLINE_HD double operator()(int k, Index i, Index j) const {
    double scale = k % 2 == 1 ? scale_x[block.first_line + i] : 1;
    if (k / 2 == 1) scale *= scale_y[j];
    return u[i * block.line_size() + block.place(k, j)] / scale;
  }
};
struct CopyField {
  NodeFields fields;
  int which;
  double* to;  // [line][j]
  HALOCLINE_HD void operator()(Index i, Index j) const { to[i * fields.block.nodes() + j] = fields(which, i, j); }
};

// Own lines x components: the value of the first node as that of the last one.
struct CopyFirstNode {
  NodalBlock block;
  double* u;
  HALOCLINE_HD void operator()(Index i, Index c) const {
    double* const values = u + i * block.line_size() + block.place(static_cast<int>(c), 0);
    values[block.ny] = values[0];
  }
};

// |field - exact| of the four fields at nodes of some lines.
struct NodeErrors {
  NodeFields fields;
  const double* exact;  // [line][field][node]
  Index first;          // own line that is line 0 there

  HALOCLINE_HD double operator()(int k, Index line, Index j) const {
    const double error = fields(k, first + line, j) - exact[(4 * line + k) * fields.block.nodes() + j];
    return error < 0 ? -error : error;
  }
};

struct FourErrors {
  double k[4];
};
struct LargestOfFour {
  HALOCLINE_HD FourErrors operator()(const FourErrors& a, const FourErrors& b) const {
    FourErrors largest;
    for (int k = 0; k < 4; ++k) largest.k[k] = larger(a.k[k], b.k[k]);
    return largest;
  }
};
struct ErrorsOfNode {
  NodeErrors errors;
  HALOCLINE_HD FourErrors operator()(Index line, Index j) const {
    return {{errors(0, line, j), errors(1, line, j), errors(2, line, j), errors(3, line, j)}};
  }
};

// Chunks [line][piece] of nodes, whose squares are added in the ordinary way, fused by hand as in gauss_kernels.hpp.
struct SumErrors {
  NodeErrors errors;
  Index length, pieces;
  template <class Sink>
  HALOCLINE_HD void operator()(Index chunk, Sink& sink) const {
    const Index line = chunk / pieces, begin = chunk % pieces * length;
    const Index behind = begin + length, last = errors.fields.block.nodes();
    double sums[4] = {0, 0, 0, 0};
    for (Index j = begin; j < (behind < last ? behind : last); ++j)
      for (int k = 0; k < 4; ++k) {
        const double error = errors(k, line, j);
        sums[k] = fma(error, error, sums[k]);
      }
    for (int k = 0; k < 4; ++k) sink.add(k, sums[k]);
  }
};

// Columns x rows of Gauss points: L u - f.
struct ResidualAtPoints {
  NodalBlock block;
  const double* u;  // own lines and the one behind
  Index first;      // Gauss column that is column 0 below
  GaussOperator at_points;
  const double* f;  // [column][row]
  double* r;        // [column][row]

  HALOCLINE_HD void operator()(Index column, Index row) const {
    const double* line = lower_line(column);
    double element[4][4];
    for (int m = 0; m < 4; ++m)
      for (int n = 0; n < 4; ++n)
        element[m][n] = line[m / 2 * block.line_size() + block.place(m % 2 + 2 * (n % 2), row / 2 + n / 2)];
    store(column, row, at_points(column, row, element));
  }
  // Derivatives along x are those of two rows; `begin` is even.
  void row(Index column, Index begin, Index end) const {
    constexpr Index width = 512, stride = width + 2;
    double of_x[3 * stride];
    for (Index low = begin; low < end; low += width) {
      const Index high = low + width < end ? low + width : end;
      for (int slope = 0; slope < 2; ++slope) {
        const double *u0 = lower_line(column) + block.place(2 * slope, low / 2), *u1 = u0 + block.stride(),
                     *u2 = u0 + block.line_size(), *u3 = u1 + block.line_size();
        for (Index j = 0; j <= (high - low) / 2; ++j)
          at_points.along_x(column, u0[j], u1[j], u2[j], u3[j], of_x + 2 * j + slope, stride);
      }
      for (Index k = low; k < high; ++k)
        store(column, k, at_points.along_y(column, k, of_x + (k - low) / 2 * 2, stride));
    }
  }

 private:
  HALOCLINE_HD const double* lower_line(Index column) const {
    return u + ((first + column) / 2 - block.first_line) * block.line_size();
  }
  HALOCLINE_HD void store(Index column, Index row, double applied) const {
    const Index at = column * at_points.rows + row;
    r[at] = applied - f[at];
  }
};

struct ResidualAndF {
  double r, f;
};
struct LargerOfBoth {
  HALOCLINE_HD ResidualAndF operator()(const ResidualAndF& a, const ResidualAndF& b) const {
    return {larger(a.r, b.r), larger(a.f, b.f)};
  }
};
struct SizesAtPoint {
  const double *r, *f;
  Index rows;
  HALOCLINE_HD ResidualAndF operator()(Index column, Index row) const {
    const double a = r[column * rows + row], b = f[column * rows + row];
    return {a < 0 ? -a : a, b < 0 ? -b : b};
  }
};

// Chunks [column][piece] of rows. Sum and difference of two rows r, l of an inner line:
// (r + l)^2 + (r - l)^2 = 2 (r^2 + l^2). nx = -1: all lines are inner ones.
struct SumResidual {
  const double* r;
  Index rows, first, nx, length, pieces;
  template <class Sink>
  HALOCLINE_HD void operator()(Index chunk, Sink& sink) const {
    const Index column = chunk / pieces, begin = chunk % pieces * length, behind = begin + length;
    const Index owner = (first + column + 1) / 2;
    const double weight = nx >= 0 && (owner == 0 || owner == nx) ? 1 : 2;
    double sum = 0;
    for (Index row = begin; row < (behind < rows ? behind : rows); ++row)
      sum = fma(weight * r[column * rows + row], r[column * rows + row], sum);
    sink.add(0, sum);
  }
};

}  // namespace halocline::collocation
