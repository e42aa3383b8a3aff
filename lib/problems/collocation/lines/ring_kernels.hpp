// Lines that go around, as those along a periodic axis do, for the elimination of block_lines_kernels.hpp.
//
// Such a line, a ring, couples node 0, by its rows of `low`, to the last node n, and that one, by its rows
// of `high`, to node 0. Elimination carries both along: with C_0 (2 x 4) the former block and H_0 the latter one
//   C_k = -P_k C_{k-1} (low columns of P_k),  W_k = H_k S_k^-1,  H_{k+1} = -W_k U_k (high columns),
//   r_n loses the sum of W_k r_k in its high rows, S_n that of W_k C_k, and x_k = S_k^-1 (r_k - C_k x_n - U_k x_{k+1})
// with C_k x_n in the low rows of the bracket. Such nodes have 16 more factors: 32..39 C, 40..47 W.
#pragma once

#include <cmath>

#include "lib/base/pack.hpp"

namespace halocline::collocation {

// `Ring`: whether lines go around.
template <bool Ring>
constexpr int factors_per_node = Ring ? 48 : 32;

// Blocks of node (i, j) of the line through it: rows are equations, columns unknowns, both in the order of the line.
template <class T>
struct NodeBlocks {
  T diagonal[4][4], low[2][4], high[2][4];
};

// Where elimination of a line stands: S^-1 and U of the node before.
template <class T>
struct Elimination4 {
  T inverse[4][4] = {}, high[2][4] = {};
};

// Of a ring besides: C of the node before, H of this one, and what the last node's equations `high` have lost so far,
// with the largest term of each.
template <class T>
struct RingElimination {
  T column[2][4] = {}, row[2][4] = {}, lost[2][4] = {}, largest[2] = {};
};

// C of a node from its multipliers p; of the first node it is there already. The last node has it in its own block, and
// there what its other equations lost to the nodes before; false where that cancels too many digits.
template <class S>
HALOCLINE_HD inline bool close_ring(RingElimination<S>& ring, const S (&p)[2][4], bool first, bool last, S most_growth,
                                    NodeBlocks<S>& b) {
  for (int c = 0; c < 4 && !first; ++c) {
    const S before[2] = {ring.column[0][c], ring.column[1][c]};
    for (int r = 0; r < 2; ++r) ring.column[r][c] = -(p[r][0] * before[0] + p[r][1] * before[1]);
  }
  if (!last) return true;
  bool regular = true;
  for (int h = 0; h < 2; ++h) {
    S size = 0;
    for (int c = 0; c < 4; ++c) {
      const S entry = b.diagonal[2 + h][c];
      size = std::fmax(size, std::fabs(entry));
      b.diagonal[h][c] += ring.column[h][c];
      b.diagonal[2 + h][c] = entry + ring.row[h][c] - ring.lost[h][c];
    }
    regular = regular && !(ring.largest[h] > most_growth * size);
  }
  return regular;
}
// When S^-1 of this node is known: W, and H of the next one.
template <class S, class T>
HALOCLINE_HD inline void continue_ring(RingElimination<S>& ring, const Elimination4<S>& node, bool last, T* out) {
  S w[2][4];
  for (int h = 0; h < 2; ++h)
    for (int c = 0; c < 4; ++c) {
      S sum = 0;
      for (int m = 0; m < 4; ++m) sum += ring.row[h][m] * node.inverse[m][c];
      w[h][c] = last ? 0 : sum;
      out[(32 + 4 * h + c) * lanes] = static_cast<T>(last ? 0 : ring.column[h][c]);
      out[(40 + 4 * h + c) * lanes] = static_cast<T>(w[h][c]);
    }
  for (int h = 0; h < 2; ++h)
    for (int c = 0; c < 4; ++c) {
      const S lost = w[h][0] * ring.column[0][c] + w[h][1] * ring.column[1][c];
      ring.lost[h][c] += lost;
      ring.row[h][c] = -(w[h][2] * node.high[0][c] + w[h][3] * node.high[1][c]);
      ring.largest[h] = std::fmax(ring.largest[h], std::fmax(std::fabs(lost), std::fabs(ring.row[h][c])));
    }
}

// What the solve of a ring keeps from node to node: what the last node's equations `high` lose, and its unknowns.
template <class Q>
struct RingSolve {
  Q lost[2], last[4];
  HALOCLINE_HD void begin() { lost[0] = lost[1] = zero<Q>(); }
  // Before and after eliminate_node(); factors of this node.
  HALOCLINE_HD void take(bool is_last, Q (&b)[4]) const {
    for (int h = 0; h < 2 && is_last; ++h) b[2 + h] = b[2 + h] - lost[h];
  }
  template <class T>
  HALOCLINE_HD void lose(const T* factors, const Q (&r)[4]) {
    for (int h = 0; h < 2; ++h)
      for (int c = 0; c < 4; ++c) lost[h] = lost[h] + load<Q>(factors + (40 + 4 * h + c) * lanes) * r[c];
  }
  // Before and after substitute_node().
  template <class T>
  HALOCLINE_HD void couple(bool is_last, const T* factors, Q (&r)[4]) const {
    for (int h = 0; h < 2 && !is_last; ++h)
      for (int c = 0; c < 4; ++c) r[h] = r[h] - load<Q>(factors + (32 + 4 * h + c) * lanes) * last[c];
  }
  HALOCLINE_HD void keep(bool is_last, const Q (&x)[4]) {
    for (int c = 0; c < 4 && is_last; ++c) last[c] = x[c];
  }
};

}  // namespace halocline::collocation
