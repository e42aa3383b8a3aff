// Bodies of prolongation and restriction, by sum factorization: first along x, then along y.
#pragma once

#include "lib/base/memory/read_only.hpp"
#include "lib/problems/collocation/multigrid/transfer_layout.hpp"

namespace halocline::collocation {

// u += P e; fine lines x coarse nodes, each doing the fine nodes 2j and 2j + 1. Lines are counted from the first own
// one; the nearest ones of other parts may be among them.
template <class T>
struct ProlongBody {
  TransferView<T> tables;
  NodalBlock fine, coarse;
  NodalLines<T> e;
  T* u;

  // For a GPU: everything is read before anything is computed, and pairs of nodes are written as one.
  HALOCLINE_HD void operator()(Index i, Index j) const {
    struct alignas(2 * sizeof(T)) Pair {
      T even, odd;
    };
    const T* x = along_x_of(i);
    const T* const lines[2] = {low(i), high(i)};
    T values[2][2][4], along_x[8], even[2][2], odd[2][4];  // values: [line][node][component]
    for (int l = 0; l < 2; ++l)
      for (int c = 0; c < 4; ++c)
        for (int n = 0; n < 2; ++n) values[l][n][c] = read_only(lines[l] + coarse.place(c, j) + n);
    if (coarse.periodic_y && j + 1 == coarse.ny)  // around the end
      for (int l = 0; l < 2; ++l)
        for (int c = 0; c < 4; ++c) values[l][1][c] = read_only(lines[l] + coarse.place(c, 0));
    for (int n = 0; n < 8; ++n) along_x[n] = read_only(x + n);
    for (int ys = 0; ys < 2; ++ys) {
      for (int m = 0; m < 2; ++m) even[ys][m] = read_only(tables.along_y(tables.prolong_even, ys, m) + j);
      for (int m = 0; m < 4; ++m) odd[ys][m] = read_only(tables.along_y(tables.prolong_odd, ys, m) + j);
    }
    Pair fine_values[4];
    T* const to = u + i * fine.line_size();
    for (int c = 0; c < 4; ++c) fine_values[c] = *reinterpret_cast<const Pair*>(to + fine.place(c, 2 * j));
    for (int xs = 0; xs < 2; ++xs) {
      T along[4];  // (v, w) along y at coarse nodes j, j + 1
      for (int m = 0; m < 4; ++m) {
        const int n = m / 2, c = 2 * (m % 2);
        along[m] = along_x[4 * xs] * values[0][n][c] + along_x[4 * xs + 1] * values[0][n][c + 1] +
                   along_x[4 * xs + 2] * values[1][n][c] + along_x[4 * xs + 3] * values[1][n][c + 1];
      }
      for (int ys = 0; ys < 2; ++ys) {
        Pair& pair = fine_values[xs + 2 * ys];
        for (int m = 0; m < 2; ++m) pair.even += even[ys][m] * along[m];
        // The tables hold zeros for the node behind the last one.
        for (int m = 0; m < 4; ++m) pair.odd += odd[ys][m] * along[m];
      }
    }
    for (int c = 0; c < 4; ++c) *reinterpret_cast<Pair*>(to + fine.place(c, 2 * j)) = fine_values[c];
  }
  void row(Index i, Index begin, Index end) const {
    constexpr Index tile = 128;
    const T* x = along_x_of(i);
    const T *low = this->low(i), *high = this->high(i);
    for (Index j = begin; j < end; j += tile)
      for (int xs = 0; xs < 2; ++xs) {
        const Index count = end - j < tile ? end - j : tile;
        const T x0 = x[4 * xs], x1 = x[4 * xs + 1], x2 = x[4 * xs + 2], x3 = x[4 * xs + 3];
        alignas(64) T v[tile + 16], w[tile + 16];
        for (int s = 0; s < 2; ++s) {
          const T *lv = low + coarse.place(2 * s, j), *lw = low + coarse.place(2 * s + 1, j);
          const T *hv = high + coarse.place(2 * s, j), *hw = high + coarse.place(2 * s + 1, j);
          T* to = s == 0 ? v : w;
#pragma omp simd
          for (Index k = 0; k <= count; ++k) to[k] = x0 * lv[k] + x1 * lw[k] + x2 * hv[k] + x3 * hw[k];
          if (coarse.periodic_y && j + count == coarse.ny)  // around the end
            to[count] = x0 * lv[-j] + x1 * lw[-j] + x2 * hv[-j] + x3 * hw[-j];
        }
        for (int ys = 0; ys < 2; ++ys)
          add(j, count, ys, v, w, u + i * fine.line_size() + fine.place(xs + 2 * ys, 2 * j));
      }
  }

 private:
  HALOCLINE_HD const T* along_x_of(Index i) const {
    return tables.prolong_x + 8 * line_of_mesh(fine, fine.first_line + i);
  }
  // The coarse lines around a fine one. An even one lies on a coarse line and reads no other: the same on all parts.
  HALOCLINE_HD const T* low(Index i) const {
    const Index line = fine.first_line + i;
    return e.line((line - (line & 1)) / 2 - coarse.first_line);
  }
  HALOCLINE_HD const T* high(Index i) const {
    const Index line = fine.first_line + i;
    return e.line((line + (line & 1)) / 2 - coarse.first_line);
  }
  // The tables hold zeros for the node behind the last one, so that u keeps its zeros there.
  void add(Index begin, Index count, int ys, const T* v, const T* w, T* to) const {
    const T *e0 = tables.along_y(tables.prolong_even, ys, 0) + begin,
            *e1 = tables.along_y(tables.prolong_even, ys, 1) + begin;
    const T *o0 = tables.along_y(tables.prolong_odd, ys, 0) + begin,
            *o1 = tables.along_y(tables.prolong_odd, ys, 1) + begin;
    const T *o2 = tables.along_y(tables.prolong_odd, ys, 2) + begin,
            *o3 = tables.along_y(tables.prolong_odd, ys, 3) + begin;
#pragma omp simd
    for (Index k = 0; k < count; ++k) {
      to[2 * k] += e0[k] * v[k] + e1[k] * w[k];
      to[2 * k + 1] += o0[k] * v[k] + o1[k] * w[k] + o2[k] * v[k + 1] + o3[k] * w[k + 1];
    }
  }
};

// f = R r; coarse lines of the mesh x coarse nodes.
template <class T>
struct RestrictBody {
  TransferView<T> tables;
  NodalBlock fine, coarse;
  const T* r;  // first own fine line, ghost lines around
  T* f;

  // The fine line and equation component along x of source k of equation q of coarse line i.
  HALOCLINE_HD const T* source(Index i, int q, int k) const {
    Index line = 2 * i - 2 + 2 * q + (k + 1) / 2 - fine.first_line;
    if (fine.wraps_x()) line += line < 0 ? fine.nx : line < fine.nx ? 0 : -fine.nx;
    return r + line * fine.line_size();
  }
  // Whether coarse line i has equations q.
  HALOCLINE_HD bool has(Index i, int q) const { return q == 0 ? !coarse.on_x_min(i) : !coarse.on_x_max(i); }
  // The number of fine node j where the line goes around.
  HALOCLINE_HD Index fine_node(Index j) const { return fine.periodic_y ? fine.wrapped_node(j) : j; }
  HALOCLINE_HD static int component(int k) { return (k + 1) % 2; }

  HALOCLINE_HD void operator()(Index i, Index j) const {
    T sums[4];
    for (int qx = 0; qx < 2; ++qx) {
      const bool there = has(i, qx);
      T x[4], values[2][4][4];  // values: [qy][k][m]
      for (int k = 0; k < 4; ++k) {
        x[k] = read_only(tables.restrict_x + 8 * i + 4 * qx + k);
        const T* line = there ? source(i, qx, k) : r;
        for (int qy = 0; qy < 2; ++qy)
          for (int m = 0; m < 4; ++m)
            values[qy][k][m] = read_only(
                line + fine.place(component(k) + 2 * component(m), fine_node(2 * j - 2 + 2 * qy + (m + 1) / 2)));
      }
      for (int qy = 0; qy < 2; ++qy) {
        T y[4], sum = 0;
        for (int m = 0; m < 4; ++m) y[m] = read_only(tables.along_y(tables.restrict_y, qy, m) + j);
        for (int k = 0; k < 4; ++k) {
          T along = 0;
          for (int m = 0; m < 4; ++m) along += y[m] * values[qy][k][m];
          sum += x[k] * along;
        }
        sums[qx + 2 * qy] = there ? sum : T{0};
      }
    }
    for (int c = 0; c < 4; ++c) f[(i - coarse.first_line) * coarse.line_size() + coarse.place(c, j)] = sums[c];
  }
  void row(Index i, Index begin, Index end) const {
    constexpr Index tile = 64;
    for (int qx = 0; qx < 2; ++qx) {
      const bool there = has(i, qx);
      const T* x = tables.restrict_x + 8 * i + 4 * qx;
      const T* lines[4] = {r, r, r, r};
      for (int k = 0; k < 4 && there; ++k) lines[k] = source(i, qx, k);
      for (Index j = begin; j < end; j += tile) {
        const Index count = end - j < tile ? end - j : tile;
        alignas(64) T along[2][2 * tile + 16];  // equation q along y of fine nodes 2j - 2 ..
        for (int q = 0; q < 2; ++q) {
          const T *l0 = lines[0] + fine.place(component(0) + 2 * q, 2 * j - 2),
                  *l1 = lines[1] + fine.place(component(1) + 2 * q, 2 * j - 2),
                  *l2 = lines[2] + fine.place(component(2) + 2 * q, 2 * j - 2),
                  *l3 = lines[3] + fine.place(component(3) + 2 * q, 2 * j - 2);
          T* to = along[q];
#pragma omp simd
          for (Index n = 0; n < 2 * count + 3; ++n) to[n] = x[0] * l0[n] + x[1] * l1[n] + x[2] * l2[n] + x[3] * l3[n];
          const auto around = [&](Index n) {
            const Index m = fine.wrapped_node(2 * j - 2 + n) - (2 * j - 2);
            to[n] = x[0] * l0[m] + x[1] * l1[m] + x[2] * l2[m] + x[3] * l3[m];
          };
          if (fine.periodic_y && j == 0) around(0), around(1);
          if (fine.periodic_y && j + count == coarse.ny) around(2 * count + 2);
        }
        for (int qy = 0; qy < 2; ++qy) {
          const T *y0 = tables.along_y(tables.restrict_y, qy, 0) + j,
                  *y1 = tables.along_y(tables.restrict_y, qy, 1) + j,
                  *y2 = tables.along_y(tables.restrict_y, qy, 2) + j,
                  *y3 = tables.along_y(tables.restrict_y, qy, 3) + j;
          const T *low = along[0] + 2 * qy, *high = along[1] + 2 * qy;
          T* to = f + (i - coarse.first_line) * coarse.line_size() + coarse.place(qx + 2 * qy, j);
#pragma omp simd
          for (Index n = 0; n < count; ++n)
            to[n] = y0[n] * high[2 * n] + y1[n] * low[2 * n + 1] + y2[n] * high[2 * n + 1] + y3[n] * low[2 * n + 2];
        }
      }
    }
  }
};

}  // namespace halocline::collocation
