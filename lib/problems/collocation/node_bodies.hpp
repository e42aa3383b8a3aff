// Bodies of node smoothing: inverse node blocks, and half-sweeps over the nodes of one color, (i + j) mod 2.
#pragma once

#include "lib/problems/collocation/nodal_bodies.hpp"

namespace halocline::collocation {

// Inverse node blocks: 4 x 4 matrices from the equations of a node to its unknowns, (v, w) on sides. Stored number by
// number along a line; `split` puts even nodes before odd ones, so that threads of one color read in one stream.
// `same`: the mesh is uniform and the coefficients constant, so that there are 3 x 3 matrices, of low ends, inner nodes
// and high ends.
template <class T>
struct NodeInverses {
  T* data;
  Index nx, ny, first_line;
  Index width;  // of a row of numbers
  bool split, same;

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

// Own lines x nodes; for `same` matrices 3 x 3 kinds, the inner ones taken at line and node 1.
template <class T>
struct InvertNodesBody {
  EquationView<T> view;
  NodeInverses<T> inverses;
  HALOCLINE_HD void operator()(Index i, Index j) const {
    if (inverses.same) {
      i = (i == 2 ? view.block.nx : i) - view.block.first_line;
      j = j == 2 ? view.block.ny : j;
    }
    T m[4][4];
    node_inverse(view, i, j, m);
    for (int number = 0; number < 16; ++number) inverses.at(i, j, number) = m[number / 4][number % 4];
  }
};

// A half-sweep over the nodes of a color, out of place: `to` gets u with corrections at these nodes.
template <class T>
struct HalfSweepBody {
  NodalProblem<T> problem;
  NodeInverses<T> inverses;
  const T* f;
  int color;
  bool from_zero;  // u = 0
  NodalLines<T> u;
  T* to;

  // Nodes 2 pair and 2 pair + 1 of own line i, one of them of the color.
  HALOCLINE_HD void operator()(Index i, Index pair) const {
    const NodalBlock& block = problem.view.block;
    const Index parity = (block.first_line + i + color) % 2, base = i * block.line_size();
    const Index j = 2 * pair + parity, other = 2 * pair + 1 - parity;
    if (other <= block.ny)
      for (int c = 0; c < 4; ++c)
        to[base + block.place(c, other)] = from_zero ? T{0} : u.own[base + block.place(c, other)];
    if (j > block.ny) return;
    T r[4];
    if (from_zero) {
      for (int c = 0; c < 4; ++c) r[c] = f[base + block.place(c, j)];
    } else {
      node_residual(problem, u, f, i, j, r);
    }
    for (int c = 0; c < 4; ++c) {
      T value = from_zero ? T{0} : u.own[base + block.place(c, j)];
      for (int e = 0; e < 4; ++e) value += inverses.at(i, j, 4 * c + e) * r[e];
      to[base + block.place(c, j)] = value;
    }
  }
  void row(Index i, Index begin, Index end) const {
    const NodalBlock& block = problem.view.block;
    const Index last = 2 * end < block.nodes() ? 2 * end : block.nodes();
    const rows::Three<T> lines{u.line(i - 1), u.line(i), u.line(i + 1)};
    line(lines, i, 2 * begin, last, color, from_zero, to + i * block.line_size());
  }

  // The same for nodes begin .. end - 1 of own line i (begin even), neighbors' lines and target given.
  void line(const rows::Three<T>& lines, Index i, Index begin, Index end, int which, bool zero, T* target) const {
    const NodalBlock& block = problem.view.block;
    const T* given = f + i * block.line_size();
    alignas(64) T scratch[4][rows::tile];
    const Mask masks;
    const T* mask = masks.of((block.first_line + i + which) % 2);
    for (Index j = begin; j < end; j += rows::tile) {
      const Index count = end - j < rows::tile ? end - j : rows::tile;
      const T* r[4] = {given + block.place(0, j), given + block.place(1, j), given + block.place(2, j),
                       given + block.place(3, j)};
      if (!zero) {
        T* const found[4] = {scratch[0], scratch[1], scratch[2], scratch[3]};
        residual_tile(problem, lines, given, i, j, count, found);
        for (int c = 0; c < 4; ++c) r[c] = scratch[c];
      }
      for (int c = 0; c < 4; ++c) {
        const T* old = zero ? nullptr : lines.line[1] + block.place(c, j);
        if (inverses.same) {
          correct_same(i, j, count, mask, c, r, old, target + block.place(c, j));
        } else {
          correct(i, j, count, mask, c, r, old, target + block.place(c, j));
        }
      }
    }
  }

 private:
  // Ones at every second node, from nodes with the given parity of the distance.
  struct Mask {
    T values[rows::tile + 1];
    Mask() {
      for (Index j = 0; j <= rows::tile; ++j) values[j] = j % 2 == 0 ? T{1} : T{0};
    }
    const T* of(Index parity) const { return values + parity; }
  };

  // target[j] = old[j] + (row c of the inverse times r) where the mask is 1, old[j] elsewhere; old null: zero
  void correct(Index i, Index begin, Index count, const T* mask, int c, const T* const (&r)[4], const T* old,
               T* __restrict target) const {
    const T *m0 = inverses.row(i, 4 * c) + begin, *m1 = inverses.row(i, 4 * c + 1) + begin,
            *m2 = inverses.row(i, 4 * c + 2) + begin, *m3 = inverses.row(i, 4 * c + 3) + begin;
    const T *r0 = r[0], *r1 = r[1], *r2 = r[2], *r3 = r[3];
    if (old == nullptr) {
#pragma omp simd
      for (Index j = 0; j < count; ++j)
        target[j] = mask[j] * (m0[j] * r0[j] + m1[j] * r1[j] + m2[j] * r2[j] + m3[j] * r3[j]);
    } else {
#pragma omp simd
      for (Index j = 0; j < count; ++j)
        target[j] = old[j] + mask[j] * (m0[j] * r0[j] + m1[j] * r1[j] + m2[j] * r2[j] + m3[j] * r3[j]);
    }
  }
  void correct_same(Index i, Index begin, Index count, const T* mask, int c, const T* const (&r)[4], const T* old,
                    T* __restrict target) const {
    const T* inner = inverses.data + (3 * NodeInverses<T>::kind(inverses.first_line + i, inverses.nx) + 1) * 16 + 4 * c;
    const T m0 = inner[0], m1 = inner[1], m2 = inner[2], m3 = inner[3];
    const T *r0 = r[0], *r1 = r[1], *r2 = r[2], *r3 = r[3];
    if (old == nullptr) {
#pragma omp simd
      for (Index j = 0; j < count; ++j) target[j] = mask[j] * (m0 * r0[j] + m1 * r1[j] + m2 * r2[j] + m3 * r3[j]);
    } else {
#pragma omp simd
      for (Index j = 0; j < count; ++j)
        target[j] = old[j] + mask[j] * (m0 * r0[j] + m1 * r1[j] + m2 * r2[j] + m3 * r3[j]);
    }
    const auto at_end = [&](Index j) {
      const T* m = inverses.same_matrix(i, begin + j) + 4 * c;
      target[j] = (old ? old[j] : T{0}) + mask[j] * (m[0] * r0[j] + m[1] * r1[j] + m[2] * r2[j] + m[3] * r3[j]);
    };
    if (begin == 0) at_end(0);
    if (begin + count == problem.view.block.ny + 1) at_end(count - 1);
  }
};

// A whole sweep over a strip of own lines on the host, in one pass: the first color runs a line ahead into a buffer of
// three lines, so that everything but the buffer is read once. Reads and repeats the first color on a line either side
// of the strip, and writes its own lines only.
template <class T>
struct FusedSweepBody {
  HalfSweepBody<T> half;
  T* buffers;  // three lines for every strip
  Index strips;

  void operator()(Index strip) const {
    const NodalBlock& block = half.problem.view.block;
    const Index begin = block.lines() * strip / strips, end = block.lines() * (strip + 1) / strips;
    const Index size = block.line_size(), lines = block.lines();
    T* buffer = buffers + 3 * size * strip;
    // Line i after the first color; beyond the mesh that is a line of zeros.
    const auto first = [&](Index i) -> const T* {
      return i < 0 || i >= lines ? half.u.line(i) : buffer + (i + 3) % 3 * size;
    };
    for (Index i = begin - 1; i <= end; ++i) {
      if (i >= 0 && i < lines)
        half.line({half.u.line(i - 1), half.u.line(i), half.u.line(i + 1)}, i, 0, block.nodes(), 0, half.from_zero,
                  buffer + (i + 3) % 3 * size);
      if (i - 1 >= begin)
        half.line({first(i - 2), first(i - 1), first(i)}, i - 1, 0, block.nodes(), 1, false, half.to + (i - 1) * size);
    }
  }
};

}  // namespace halocline::collocation
