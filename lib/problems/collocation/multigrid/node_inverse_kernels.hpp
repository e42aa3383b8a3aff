// Inverse node blocks for smoothing: their storage, and bodies that compute them.
#pragma once

#include <cmath>

#include "lib/problems/collocation/discretization/nodal_kernels.hpp"

namespace halocline::collocation {

// Inverse node blocks: 4 x 4 matrices from the equations of a node to its unknowns, (v, w) on sides. Stored number by
// number along a line; `split` puts even nodes before odd ones, so that threads of one color read in one stream.
// `same`: the mesh is uniform and the coefficients constant, so that there are 3 x 3 matrices, of low ends, inner nodes
// and high ends. `halves`, where coefficients are halves, holds them in the place of `data`: [own line][row 4][slot],
// each row of a matrix as one, to be multiplied by the power of two of the line.
template <class T>
struct NodeInverses {
  T* data;
  Index nx, ny, first_line;
  Index width;  // of a row of numbers
  bool split, same;
  const FourHalves* halves = nullptr;
  const T* scales = nullptr;

  HALOCLINE_HD static int kind(Index i, Index n) { return i == 0 ? 0 : i < n ? 1 : 2; }
  HALOCLINE_HD T* row(Index i, int number) const {  // along own line i; not for `same`
    return data + (i * 16 + number) * width;
  }
  HALOCLINE_HD Index slot(Index j) const { return split ? j % 2 * (width / 2) + j / 2 : j; }
  HALOCLINE_HD T* same_matrix(Index i, Index j) const {
    return data + (3 * kind(first_line + i, nx) + kind(j, ny)) * 16;
  }
  HALOCLINE_HD T& at(Index i, Index j, int number) const {
    return same ? same_matrix(i, j)[number] : row(i, number)[slot(j)];
  }
};

// The inverse block of a node as a thread fetches it.
template <class T, Stored Storage>
struct NodeInverse {
  T number[Storage == Stored::halves ? 1 : 16];
  FourHalves row[Storage == Stored::halves ? 4 : 1];

  HALOCLINE_HD void read(const NodeInverses<T>& inverses, Index i, Index j) {
    if constexpr (Storage == Stored::halves) {
      for (int c = 0; c < 4; ++c) row[c] = read_four(inverses.halves + (4 * i + c) * inverses.width + inverses.slot(j));
    } else {
      const T* from = inverses.same ? inverses.same_matrix(i, j) : inverses.row(i, 0) + inverses.slot(j);
      const Index step = inverses.same ? 1 : inverses.width;
      for (int n = 0; n < 16; ++n) number[n] = read_only(from + n * step);
    }
  }
  HALOCLINE_HD void get(const NodeInverses<T>& inverses, Index i, T (&to)[16]) const {
    if constexpr (Storage == Stored::halves) {
      const T scale = read_only(inverses.scales + i);
      for (int n = 0; n < 16; ++n) to[n] = scale * to_float(row[n / 4].of[n % 4]);
    } else {
      for (int n = 0; n < 16; ++n) to[n] = number[n];
    }
  }
};

// Inverts m in place by Gauss-Jordan elimination; rows are scaled to choose pivots.
template <class T>
HALOCLINE_HD void invert(T (&m)[4][4]) {
  T inverse[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
  for (int row = 0; row < 4; ++row) {
    T largest = 0;
    for (int c = 0; c < 4; ++c) {
      const T size = m[row][c] < 0 ? -m[row][c] : m[row][c];
      largest = size > largest ? size : largest;
    }
    const T scale = largest > 0 ? 1 / largest : T{1};
    for (int c = 0; c < 4; ++c) {
      m[row][c] *= scale;
      inverse[row][c] *= scale;
    }
  }
  for (int k = 0; k < 4; ++k) {
    int pivot = k;
    for (int row = k + 1; row < 4; ++row) {
      const T a = m[row][k] < 0 ? -m[row][k] : m[row][k], b = m[pivot][k] < 0 ? -m[pivot][k] : m[pivot][k];
      if (a > b) pivot = row;
    }
    for (int c = 0; c < 4; ++c) {
      const T a = m[k][c], b = inverse[k][c];
      m[k][c] = m[pivot][c];
      inverse[k][c] = inverse[pivot][c];
      m[pivot][c] = a;
      inverse[pivot][c] = b;
    }
    const T factor = 1 / m[k][k];
    for (int c = 0; c < 4; ++c) {
      m[k][c] *= factor;
      inverse[k][c] *= factor;
    }
    for (int row = 0; row < 4; ++row) {
      if (row == k) continue;
      const T times = m[row][k];
      for (int c = 0; c < 4; ++c) {
        m[row][c] -= times * m[k][c];
        inverse[row][c] -= times * inverse[k][c];
      }
    }
  }
  for (int row = 0; row < 4; ++row)
    for (int c = 0; c < 4; ++c) m[row][c] = inverse[row][c];
}

// From the equations of node j of own line i to its unknowns.
template <class T>
HALOCLINE_HD void node_inverse(const EquationView<T>& view, Index i, Index j, T (&m)[4][4]) {
  const Index line = view.block.first_line + i;
  view.block_of(i, j, 0, 0, m);
  view.reduce_columns(line, j, m);
  // Where there is no equation there is no unknown either; ones keep the matrix regular.
  for (int c = 0; c < 4; ++c)
    if (!view.exists(line, j, c)) m[c][c] = 1;
  invert(m);
  for (int column = 0; column < 4; ++column) {
    T unknowns[4];
    for (int c = 0; c < 4; ++c) unknowns[c] = view.exists(line, j, column) ? m[c][column] : T{0};
    view.expand(line, j, unknowns);
    for (int c = 0; c < 4; ++c) m[c][column] = unknowns[c];
  }
}

// The same for many nodes without neighbors on sides, on the host, where loops along the line vectorize: by cofactors,
// which need no pivots. Conditions of row-scaled blocks are below 30.
template <class T>
class InvertRow {
 public:
  InvertRow(const EquationView<T>& view, const NodeInverses<T>& inverses, Index i)
      : view_(view), inverses_(inverses), i_(i) {}

  void run(Index begin, Index count) {
    for (int equation = 0; equation < 4; ++equation) assemble(equation, begin, count);
    invert(begin, count);
  }

 private:
  static constexpr Index tile = rows::tile;

  void assemble(int equation, Index begin, Index count) {
    const int qx = equation % 2, qy = equation / 2;
    const Index line = view_.block.first_line + i_;
    const T* k[6];
    for (int n = 0; n < 6; ++n)
      k[n] = view_.sampled ? view_.sampled + (i_ * 6 + n) * view_.block.line_size() + view_.block.place(equation, begin)
                           : constant_[n];
    if (!view_.sampled)
      for (int n = 0; n < 6; ++n)
        for (Index j = 0; j < count; ++j) constant_[n][j] = view_.constant[n];
    const T *a = k[0], *b = k[1], *c = k[2], *d = k[3], *e = k[4], *eta = k[5];
    for (int ys = 0; ys < 2; ++ys) {
      const int my = (qy == 0 ? 2 : 0) + ys, mx = qx == 0 ? 2 : 0;
      const T *y0 = view_.y.row(qy, 0, my) + begin, *y1 = view_.y.row(qy, 1, my) + begin,
              *y2 = view_.y.row(qy, 2, my) + begin;
      const T v0 = view_.x(qx, 0, mx, line), v1 = view_.x(qx, 1, mx, line), v2 = view_.x(qx, 2, mx, line);
      const T w0 = view_.x(qx, 0, mx + 1, line), w1 = view_.x(qx, 1, mx + 1, line), w2 = view_.x(qx, 2, mx + 1, line);
      T *v = block_[4 * equation + 2 * ys], *w = block_[4 * equation + 2 * ys + 1];
#pragma omp simd
      for (Index j = 0; j < count; ++j) {
        const T xx = a[j] * y0[j], x = 2 * b[j] * y1[j] + d[j] * y0[j],
                u = c[j] * y2[j] + e[j] * y1[j] + eta[j] * y0[j];
        v[j] = v2 * xx + v1 * x + v0 * u;
        w[j] = w2 * xx + w1 * x + w0 * u;
      }
    }
    T *m0 = block_[4 * equation], *m1 = m0 + tile, *m2 = m1 + tile, *m3 = m2 + tile, *scale = scale_[equation];
#pragma omp simd
    for (Index j = 0; j < count; ++j) {
      scale[j] = 1 / (std::abs(m0[j]) + std::abs(m1[j]) + std::abs(m2[j]) + std::abs(m3[j]));
      m0[j] *= scale[j];
      m1[j] *= scale[j];
      m2[j] *= scale[j];
      m3[j] *= scale[j];
    }
  }

  // Two rows of the transposed cofactors at a time: from the 2 x 2 minors of the other two rows of the matrix.
  void invert(Index begin, Index count) {
    minors(0, 1, low_, count);
    minors(2, 3, high_, count);
    // det = sum of +-low minor times complementary high minor; minors in the order 01 02 03 12 13 23
#pragma omp simd
    for (Index j = 0; j < count; ++j)
      inverse_det_[j] = 1 / (low_[0][j] * high_[5][j] - low_[1][j] * high_[4][j] + low_[2][j] * high_[3][j] +
                             low_[3][j] * high_[2][j] - low_[4][j] * high_[1][j] + low_[5][j] * high_[0][j]);
    column(0, 1, high_, 1, begin, count);
    column(1, 0, high_, -1, begin, count);
    column(2, 3, low_, 1, begin, count);
    column(3, 2, low_, -1, begin, count);
  }

  void minors(int first, int second, T (&to)[6][tile], Index count) {
    int number = 0;
    for (int p = 0; p < 4; ++p)
      for (int q = p + 1; q < 4; ++q, ++number) {
        const T *ap = block_[4 * first + p], *aq = block_[4 * first + q], *bp = block_[4 * second + p],
                *bq = block_[4 * second + q];
        T* result = to[number];
#pragma omp simd
        for (Index j = 0; j < count; ++j) result[j] = ap[j] * bq[j] - aq[j] * bp[j];
      }
  }

  // Column `equation` of the inverse: 3 x 3 minors of the other three rows, expanded along row `partner`.
  void column(int equation, int partner, const T (&m)[6][tile], T sign, Index begin, Index count) {
    const T *a0 = block_[4 * partner], *a1 = a0 + tile, *a2 = a1 + tile, *a3 = a2 + tile, *scale = scale_[equation];
    const T *m01 = m[0], *m02 = m[1], *m03 = m[2], *m12 = m[3], *m13 = m[4], *m23 = m[5];
    T *r0 = inverses_.row(i_, equation) + begin, *r1 = inverses_.row(i_, 4 + equation) + begin,
      *r2 = inverses_.row(i_, 8 + equation) + begin, *r3 = inverses_.row(i_, 12 + equation) + begin;
#pragma omp simd
    for (Index j = 0; j < count; ++j) {
      const T factor = sign * inverse_det_[j] * scale[j];
      r0[j] = factor * (a1[j] * m23[j] - a2[j] * m13[j] + a3[j] * m12[j]);
      r1[j] = -factor * (a0[j] * m23[j] - a2[j] * m03[j] + a3[j] * m02[j]);
      r2[j] = factor * (a0[j] * m13[j] - a1[j] * m03[j] + a3[j] * m01[j]);
      r3[j] = -factor * (a0[j] * m12[j] - a1[j] * m02[j] + a2[j] * m01[j]);
    }
  }

  const EquationView<T>& view_;
  const NodeInverses<T>& inverses_;
  Index i_;
  alignas(64) T block_[16][tile], scale_[4][tile], low_[6][tile], high_[6][tile], inverse_det_[tile];
  T constant_[6][tile];
};

// Own lines x nodes; for `same` matrices 3 x 3 kinds, the inner ones taken at line and node 1.
template <class T>
struct InvertNodesBody {
  EquationView<T> view;
  NodeInverses<T> inverses;
  HALOCLINE_HD void operator()(Index i, Index j) const {
    if (inverses.same) {
      const NodalBlock& block = view.block;  // nothing is of the third kind where an axis is periodic
      i = (i == 2 ? (block.periodic_x ? 1 : block.nx) : i) - block.first_line;
      if (j == 2) j = block.periodic_y ? 1 : block.ny;
    }
    T m[4][4];
    node_inverse(view, i, j, m);
    for (int number = 0; number < 16; ++number) inverses.at(i, j, number) = m[number / 4][number % 4];
  }
  void row(Index i, Index begin, Index end) const {
    const Index line = view.block.first_line + i, ny = view.block.ny;
    const bool on_side = view.block.on_x_min(line) || view.block.on_x_max(line);
    if (inverses.same || on_side) {
      for (Index j = begin; j < end; ++j) (*this)(i, j);
      return;
    }
    InvertRow<T> inner(view, inverses, i);
    for (Index j = 1; j < ny; j += rows::tile) inner.run(j, ny - j < rows::tile ? ny - j : rows::tile);
    (*this)(i, 0);
    if (!view.block.periodic_y) (*this)(i, ny);
  }
};

}  // namespace halocline::collocation
