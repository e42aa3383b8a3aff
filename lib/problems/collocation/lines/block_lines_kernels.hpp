// Bodies for the block-tridiagonal systems of whole grid lines: one 4 x 4 block per node (see EquationView::block_of).
//
// Along a line, the two equations of a node that lie towards the node before it are `low`, the others `high`; of the
// block that couples a node to the one before, only the rows of `low` are nonzero, of the other one those of `high`.
// With the diagonal blocks D_k, L_k (2 x 4), U_k (2 x 4), elimination gives
//   S_k = D_k - L_k S_{k-1}^-1 U_{k-1},    P_k = L_k S_{k-1}^-1,
//   r_k = b_k - P_k r_{k-1}  (low rows),   x_k = S_k^-1 (r_k - U_k x_{k+1})  (high rows of the bracket).
// Pivoting happens inside S_k alone. Unknowns are (v, w) on sides, too: S_k^-1 gives them from the equations that
// exist, and the other columns of S_k^-1 and of P_k are zero.
//
// Eight lines stand side by side: [group][node][32 factors][lane]; the factors of a node are
//   0..7 P (row by row), 8..15 U, 16..31 S^-1. A lane without a line has zeros and gives x = 0.
//
// Lines that go around: ring_kernels.hpp.
#pragma once

#include "lib/base/pack.hpp"
#include "lib/problems/collocation/discretization/equation_kernels.hpp"
#include "lib/problems/collocation/lines/ring_kernels.hpp"

namespace halocline::collocation {

enum class Along { y, x };  // direction of a line: vertical lines run along y

// Component of the unknowns and equations of nodal_layout.hpp that stands at place c of a node of a line: along x, x
// and y change places.
HALOCLINE_HD inline int line_component(Along along, int c) { return along == Along::y ? c : (c % 2) * 2 + c / 2; }

// Coefficients of the three y derivatives in the equation of component c at node j of own line i that unknown m of the
// element in x takes (AxisRows): L u there = sum over m, p of weights[p] (d/dy)^p of unknown m.
template <class T>
HALOCLINE_HD inline void x_weights(const EquationView<T>& view, Index i, Index j, int c, int m, T (&weights)[3]) {
  const int q = c % 2;
  const Index line = view.block.first_line + i;
  const T x0 = view.x(q, 0, m, line), x1 = view.x(q, 1, m, line), x2 = view.x(q, 2, m, line);
  weights[0] =
      view.coefficient(0, i, c, j) * x2 + view.coefficient(3, i, c, j) * x1 + view.coefficient(5, i, c, j) * x0;
  weights[1] = 2 * view.coefficient(1, i, c, j) * x1 + view.coefficient(4, i, c, j) * x0;
  weights[2] = view.coefficient(2, i, c, j) * x0;
}

template <class T>
HALOCLINE_HD inline void node_blocks(const EquationView<T>& view, Along along, Index i, Index j, NodeBlocks<T>& b) {
  for (int place = 0; place < 4; ++place) {
    const int c = line_component(along, place), qx = c % 2, qy = c / 2;
    T* const beside = place < 2 ? b.low[place] : b.high[place - 2];
    for (int xs = 0; xs < 2; ++xs)
      for (int side = 0; side < (along == Along::x ? 2 : 1); ++side) {  // own node, then the neighbor's
        const bool far_x = along == Along::x && side == 1;
        T weights[3];
        x_weights(view, i, j, c, (far_x == (qx == 1) ? 2 : 0) + xs, weights);
        for (int ys = 0; ys < 2; ++ys)
          for (int far_y = 0; far_y < (along == Along::y ? 2 : 1); ++far_y) {
            const int m = ((far_y == 1) == (qy == 1) ? 2 : 0) + ys;
            const T value =
                weights[0] * view.y(qy, 0, m, j) + weights[1] * view.y(qy, 1, m, j) + weights[2] * view.y(qy, 2, m, j);
            const int column = line_component(along, xs + 2 * ys);
            (far_x || far_y == 1 ? beside : b.diagonal[place])[column] = value;
          }
      }
  }
}

// inverse = m^-1 by elimination with partial pivoting; `m` is destroyed. False when a pivot vanishes or is not finite.
template <class T>
HALOCLINE_HD inline bool invert(T (&m)[4][4], T (&inverse)[4][4]) {
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 4; ++c) inverse[r][c] = r == c ? 1 : 0;
  bool regular = true;
  for (int k = 0; k < 4; ++k) {
    int pivot = k;
    T largest = m[k][k] < 0 ? -m[k][k] : m[k][k];
    for (int r = k + 1; r < 4; ++r) {
      const T size = m[r][k] < 0 ? -m[r][k] : m[r][k];
      if (size > largest) {
        largest = size;
        pivot = r;
      }
    }
    regular = regular && largest > 0 && largest - largest == 0;
    for (int c = 0; c < 4; ++c) {
      const T a = m[k][c], b = inverse[k][c];
      m[k][c] = m[pivot][c];
      m[pivot][c] = a;
      inverse[k][c] = inverse[pivot][c];
      inverse[pivot][c] = b;
    }
    const T scale = 1 / m[k][k];
    for (int c = 0; c < 4; ++c) {
      m[k][c] *= scale;
      inverse[k][c] *= scale;
    }
    for (int r = 0; r < 4; ++r) {
      if (r == k) continue;
      const T factor = m[r][k];
      for (int c = 0; c < 4; ++c) {
        m[r][c] -= factor * m[k][c];
        inverse[r][c] -= factor * inverse[k][c];
      }
    }
  }
  return regular;
}

// Whether elimination takes terms from an equation that are much larger than itself: then digits cancel. p: the
// equation's multipliers.
template <class S>
HALOCLINE_HD inline bool grows(const S (&low)[4], const S (&diagonal)[4], const S (&p)[4], const S (&high)[2][4],
                               S most_growth) {
  S size = 0, largest = 0;
  const auto enlarge = [](S& to, S entry) {
    if (entry < 0) entry = -entry;
    if (entry > to) to = entry;
  };
  for (int c = 0; c < 4; ++c) {
    enlarge(size, low[c]);
    enlarge(size, diagonal[c]);
    for (int h = 0; h < 2; ++h) enlarge(largest, p[2 + h] * high[h][c]);
  }
  return largest > most_growth * size;
}

// Factors of one lane of a node; from[0], from[lanes], ... S = Scalar of the equations, T of the factors. False when
// its block is singular or an equation grows(). `ring`: of lines that go around; else null.
template <bool Ring, class S, class T>
HALOCLINE_HD inline bool factor_node(const EquationView<S>& view, Along along, Index i, Index j, bool first, bool last,
                                     Elimination4<S>& before, RingElimination<S>* ring, T* out, S most_growth) {
  NodeBlocks<S> b;
  node_blocks(view, along, i, j, b);
  if constexpr (Ring)
    if (first)
      for (int r = 0; r < 2; ++r)
        for (int c = 0; c < 4; ++c) ring->column[r][c] = b.low[r][c];
  if (first)
    for (auto& row : b.low)
      for (S& value : row) value = 0;
  if (last)
    for (auto& row : b.high)
      for (S& value : row) value = 0;
  S p[2][4];
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 4; ++c) {
      S sum = 0;
      for (int m = 0; m < 4; ++m) sum += b.low[r][m] * before.inverse[m][c];
      p[r][c] = sum;
    }
  bool regular = true;
  for (int r = 0; r < 2; ++r) regular = regular && !grows(b.low[r], b.diagonal[r], p[r], before.high, most_growth);
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 4; ++c) b.diagonal[r][c] -= p[r][2] * before.high[0][c] + p[r][3] * before.high[1][c];
  if constexpr (Ring) regular = close_ring(*ring, p, first, last, most_growth, b) && regular;
  // From here on in the order of nodal_layout.hpp, which reduce() and expand() know.
  const Index line = view.block.first_line + i;
  S m[4][4], inverse[4][4];
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 4; ++c) m[line_component(along, r)][line_component(along, c)] = b.diagonal[r][c];
  view.reduce_columns(line, j, m);
  for (int c = 0; c < 4; ++c)
    if (!view.exists(line, j, c))
      for (int k = 0; k < 4; ++k) m[c][k] = k == c ? 1 : 0;
  regular = invert(m, inverse) && regular;
  for (int c = 0; c < 4; ++c) {
    S column[4];
    for (int r = 0; r < 4; ++r) column[r] = view.exists(line, j, c) ? inverse[r][c] : 0;
    view.expand(line, j, column);
    for (int r = 0; r < 4; ++r) before.inverse[line_component(along, r)][line_component(along, c)] = column[r];
  }
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 4; ++c) {
      before.high[r][c] = b.high[r][c];
      out[(4 * r + c) * lanes] = static_cast<T>(p[r][c]);
      out[(8 + 4 * r + c) * lanes] = static_cast<T>(b.high[r][c]);
    }
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 4; ++c) out[(16 + 4 * r + c) * lanes] = static_cast<T>(before.inverse[r][c]);
  if constexpr (Ring) continue_ring(*ring, before, last, out);
  return regular;
}

// Factors the lines of a group. Lines along x are cut at the ends of the part.
template <class S, class T, bool Ring>
struct FactorLinesBody {
  EquationView<S> view;
  Along along;
  const Index* lines;  // [group][lane]: own line i, or node j where lines run along x; -1: none
  Index nodes;         // of a line, in this part
  T* factors;
  Index* singular;  // [group][lane]: node whose block is singular, or -1
  S most_growth;
  template <class P>
  HALOCLINE_HD void operator()(Index group, Index /*piece*/, Index lane) const {
    constexpr int width = is_pack<P> ? lanes : 1;
    Elimination4<S> state[width];
    RingElimination<S> ring[Ring ? width : 1];
    for (int l = 0; l < width; ++l) singular[group * lanes + lane + l] = -1;
    if constexpr (Ring)
      for (int l = 0; l < width; ++l) begin_ring(lines[group * lanes + lane + l], ring[l]);
    for (Index k = 0; k < nodes; ++k)
      for (int l = 0; l < width; ++l) {
        const Index line = lines[group * lanes + lane + l];
        T* out = factors + (group * nodes + k) * factors_per_node<Ring> * lanes + lane + l;
        if (line < 0) {
          for (int f = 0; f < factors_per_node<Ring>; ++f) out[f * lanes] = 0;
        } else if (!factor_node<Ring>(view, along, along == Along::y ? line : k, along == Along::y ? k : line, k == 0,
                                      k + 1 == nodes, state[l], ring + (Ring ? l : 0), out, most_growth)) {
          singular[group * lanes + lane + l] = k;
        }
      }
  }

 private:
  // H of node 0: what the last node's equations have of it.
  HALOCLINE_HD void begin_ring(Index line, RingElimination<S>& ring) const {
    if (line < 0) return;
    NodeBlocks<S> b;
    node_blocks(view, along, along == Along::y ? line : nodes - 1, along == Along::y ? nodes - 1 : line, b);
    for (int h = 0; h < 2; ++h)
      for (int c = 0; c < 4; ++c) ring.row[h][c] = b.high[h][c];
  }
};

// Elimination step of node k: turns b into r; `before` is r of the node before and becomes this one.
template <class Q, class T>
HALOCLINE_HD inline void eliminate_node(const T* factors, Q (&b)[4], Q (&before)[4]) {
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 4; ++c) b[r] = b[r] - load<Q>(factors + (4 * r + c) * lanes) * before[c];
  for (int c = 0; c < 4; ++c) before[c] = b[c];
}

// Substitution step: `next` is x of the node behind and becomes that of this one.
template <class Q, class T>
HALOCLINE_HD inline void substitute_node(const T* factors, Q (&r)[4], Q (&next)[4]) {
  for (int h = 0; h < 2; ++h)
    for (int c = 0; c < 4; ++c) r[2 + h] = r[2 + h] - load<Q>(factors + (8 + 4 * h + c) * lanes) * next[c];
  for (int row = 0; row < 4; ++row) {
    Q sum = load<Q>(factors + (16 + 4 * row) * lanes) * r[0];
    for (int c = 1; c < 4; ++c) sum = sum + load<Q>(factors + (16 + 4 * row + c) * lanes) * r[c];
    next[row] = sum;
  }
}

// x += D^-1 r, or x = D^-1 r, on lines of vectors in the layout of nodal_layout.hpp. The groups are cut into ranges,
// each with scratch for `bunch` groups: 4 * nodes * lanes numbers. On the host a range takes several groups along x
// together, so that it reads neighboring numbers of the lines it crosses.
template <class T, bool Ring>
struct SolveNodalLinesBody {
  const T* factors;
  const Index* lines;
  const T* r;
  T* x;
  NodalBlock block;
  Along along;
  Index nodes, groups, ranges;
  T* scratch;
  bool add;
  static constexpr Index bunch = 4;

  template <class P>
  HALOCLINE_HD void operator()(Index range, Index /*piece*/, Index lane) const {
    const Index begin = groups * range / ranges, end = groups * (range + 1) / ranges;
    const Index together = is_pack<P> && along == Along::x ? bunch : 1;
    for (Index g = begin; g < end; g += together)
      solve<Like<P, T>>(g, end - g < together ? end - g : together, scratch + range * bunch * line_scratch() + lane,
                        lane);
  }

 private:
  HALOCLINE_HD Index line_scratch() const { return 4 * nodes * lanes; }
  HALOCLINE_HD Index place(int c, Index k) const {
    return along == Along::y ? block.place(c, k) : k * block.line_size() + block.place(line_component(along, c), 0);
  }
  // Places of the lines of a group, and how many there are; lanes without one come last.
  HALOCLINE_HD int find_lines(Index group, Index lane, int width, Index (&offset)[lanes]) const {
    int used = 0;
    for (int l = 0; l < width; ++l) {
      const Index line = lines[group * lanes + lane + l];
      offset[l] = line < 0 ? 0 : along == Along::y ? line * block.line_size() : line;
      used += line < 0 ? 0 : 1;
    }
    return used;
  }

  template <class Q>
  HALOCLINE_HD void solve(Index group, Index count, T* own, Index lane) const {
    Q state[bunch][4];
    RingSolve<Q> ring[Ring ? bunch : 1];
    Index offset[bunch][lanes];
    int used[bunch];
    for (Index n = 0; n < count; ++n)
      used[n] = find_lines(group + n, lane, std::is_same_v<Q, T> ? 1 : lanes, offset[n]);
    for (Index n = 0; n < count; ++n) {
      for (int c = 0; c < 4; ++c) state[n][c] = zero<Q>();
      if constexpr (Ring) ring[n].begin();
    }
    for (Index k = 0; k < nodes; ++k)
      for (Index n = 0; n < count; ++n) {
        Q b[4];
        for (int c = 0; c < 4; ++c) b[c] = gather<Q>(r + place(c, k), offset[n]);
        if constexpr (Ring) ring[n].take(k + 1 == nodes, b);
        eliminate_node(at(group + n, k) + lane, b, state[n]);
        if constexpr (Ring) ring[n].lose(at(group + n, k) + lane, b);
        for (int c = 0; c < 4; ++c) store(own + n * line_scratch() + (4 * k + c) * lanes, b[c]);
      }
    for (Index n = 0; n < count; ++n)
      for (int c = 0; c < 4; ++c) state[n][c] = zero<Q>();
    for (Index k = nodes - 1; k >= 0; --k)
      for (Index n = 0; n < count; ++n) {
        Q b[4];
        for (int c = 0; c < 4; ++c) b[c] = load<Q>(own + n * line_scratch() + (4 * k + c) * lanes);
        if constexpr (Ring) ring[n].couple(k + 1 == nodes, at(group + n, k) + lane, b);
        substitute_node(at(group + n, k) + lane, b, state[n]);
        if constexpr (Ring) ring[n].keep(k + 1 == nodes, state[n]);
        for (int c = 0; c < 4; ++c) scatter(x + place(c, k), offset[n], used[n], state[n][c]);
      }
  }
  HALOCLINE_HD const T* at(Index group, Index k) const {
    return factors + (group * nodes + k) * factors_per_node<Ring> * lanes;
  }
  // Lanes without a line have zero factors: they may read anything, but not write.
  template <class Q>
  HALOCLINE_HD static Q gather(const T* from, const Index (&offset)[lanes]) {
    constexpr int width = std::is_same_v<Q, T> ? 1 : lanes;
    Q q;
    for (int l = 0; l < width; ++l) lane_of(q, l) = from[offset[l]];
    return q;
  }
  template <class Q>
  HALOCLINE_HD void scatter(T* to, const Index (&offset)[lanes], int used, Q& q) const {
    constexpr int width = std::is_same_v<Q, T> ? 1 : lanes;
    if (used == width) {
      for (int l = 0; l < width; ++l) to[offset[l]] = add ? to[offset[l]] + lane_of(q, l) : lane_of(q, l);
    } else {
      for (int l = 0; l < used; ++l) to[offset[l]] = add ? to[offset[l]] + lane_of(q, l) : lane_of(q, l);
    }
  }
};

}  // namespace halocline::collocation
