// Bodies of prolongation and restriction, by sum factorization: first along x, then along y.
#pragma once

#include "lib/problems/collocation/transfers.hpp"

namespace halocline::collocation {

// u += P e; own fine lines x coarse nodes, each doing the fine nodes 2j and 2j + 1.
template <class T>
struct ProlongBody {
  TransferView<T> tables;
  NodalBlock fine, coarse;
  NodalLines<T> e;
  T* u;

  HALOCLINE_HD void operator()(Index i, Index j) const {
    const T* x = tables.prolong_x + 8 * (fine.first_line + i);
    const Index line = (fine.first_line + i) / 2 - coarse.first_line;
    const T *low = e.line(line), *high = e.line(line + 1);
    for (int xs = 0; xs < 2; ++xs) {
      T along[4];  // (v, w) along y at coarse nodes j, j + 1
      for (int m = 0; m < 4; ++m) {
        const Index v = coarse.place(2 * (m % 2), j + m / 2), w = coarse.place(2 * (m % 2) + 1, j + m / 2);
        along[m] = x[4 * xs] * low[v] + x[4 * xs + 1] * low[w] + x[4 * xs + 2] * high[v] + x[4 * xs + 3] * high[w];
      }
      for (int ys = 0; ys < 2; ++ys) {
        T even = 0, odd = 0;
        for (int m = 0; m < 2; ++m) even += tables.along_y(tables.prolong_even, ys, m)[j] * along[m];
        for (int m = 0; m < 4; ++m) odd += tables.along_y(tables.prolong_odd, ys, m)[j] * along[m];
        T* to = u + i * fine.line_size() + fine.place(xs + 2 * ys, 2 * j);
        to[0] += even;
        if (j < coarse.ny) to[1] += odd;
      }
    }
  }
  void row(Index i, Index begin, Index end) const {
    constexpr Index tile = 128;
    const T* x = tables.prolong_x + 8 * (fine.first_line + i);
    const Index line = (fine.first_line + i) / 2 - coarse.first_line;
    const T *low = e.line(line), *high = e.line(line + 1);
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
        }
        for (int ys = 0; ys < 2; ++ys)
          add(j, count, ys, v, w, u + i * fine.line_size() + fine.place(xs + 2 * ys, 2 * j));
      }
  }

 private:
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
    return r + (2 * i - 2 + 2 * q + (k + 1) / 2 - fine.first_line) * fine.line_size();
  }
  HALOCLINE_HD static int component(int k) { return (k + 1) % 2; }

  HALOCLINE_HD void operator()(Index i, Index j) const {
    for (int c = 0; c < 4; ++c) {
      const int qx = c % 2, qy = c / 2;
      const T* x = tables.restrict_x + 8 * i + 4 * qx;
      T sum = 0;
      const bool there = !(i == 0 && qx == 0) && !(i == coarse.nx && qx == 1);
      for (int k = 0; k < 4 && there; ++k) {
        const T* line = source(i, qx, k);
        T along = 0;
        for (int m = 0; m < 4; ++m)
          along += tables.along_y(tables.restrict_y, qy, m)[j] *
                   line[fine.place(component(k) + 2 * component(m), 2 * j - 2 + 2 * qy + (m + 1) / 2)];
        sum += x[k] * along;
      }
      f[(i - coarse.first_line) * coarse.line_size() + coarse.place(c, j)] = sum;
    }
  }
  void row(Index i, Index begin, Index end) const {
    constexpr Index tile = 64;
    for (int qx = 0; qx < 2; ++qx) {
      const bool there = !(i == 0 && qx == 0) && !(i == coarse.nx && qx == 1);
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
