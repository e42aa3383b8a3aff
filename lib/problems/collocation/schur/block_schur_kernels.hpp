// Bodies of the red-black Schur method for general coefficients, on groups of eight lines (line_layout.hpp, with
// rows = 2 * nodes: a line holds the unknowns, or equations, of nodal_layout.hpp as [node][component][lane]).
//
// Per node a line has 32 factors (block_lines_kernels.hpp) and 24 couplings to its neighbors: for the equation of
// component c, [c][p][x slope]: weight of the derivative of order p in y of the neighbor's unknowns, the line on the
// left for qx = 0, on the right for qx = 1. The derivatives come from a table per element along the line. `Ring`:
// whether y is periodic, so that the last element lies between the last node and the first one.
#pragma once

#include "lib/problems/collocation/discretization/line_layout.hpp"
#include "lib/problems/collocation/lines/block_lines_kernels.hpp"
#include "lib/problems/collocation/schur/line_kernels.hpp"
#include "lib/problems/collocation/schur/product_dots_kernels.hpp"

namespace halocline::collocation {

constexpr int couplings_per_node = 24;

// Lines of one color: what their systems need, group by group.
template <class T, bool Ring>
struct LineSystems {
  const T* factors;
  const T* couplings;
  const T* table;  // [element][q][p][m]: derivative p at Gauss point q of an element from its (v, w, v, w)
  Index nodes;
  HALOCLINE_HD Index group_size() const { return 4 * nodes * lanes; }
};

// Their vectors.
template <class T>
using BlockLineGroups = LineGroupsOf<T, 1>;

// Derivatives along y of the four unknowns' pairs at the two Gauss points of an element between two nodes, weighted:
// adds to the equations `upper` of the first node (their point is q = 0) and `lower` of the second one.
template <class Q, class T>
HALOCLINE_HD inline void couple_element(const T* table, const T* weights, const T* weights_next, const Q (&v)[4],
                                        const Q (&next)[4], Q& upper, Q& lower) {
  for (int xs = 0; xs < 2; ++xs)
    for (int p = 0; p < 3; ++p) {
      const T *a = table + 4 * p, *b = table + 12 + 4 * p;
      const Q first = a[0] * v[xs] + a[1] * v[xs + 2] + a[2] * next[xs] + a[3] * next[xs + 2];
      const Q second = b[0] * v[xs] + b[1] * v[xs + 2] + b[2] * next[xs] + b[3] * next[xs + 2];
      upper = upper + load<Q>(weights + (2 * p + xs) * lanes) * first;
      lower = lower + load<Q>(weights_next + (2 * p + xs) * lanes) * second;
    }
}

// The same for the last element of a ring: to the equations `upper` of the last node and `lower` of the first one.
template <class Q, class T>
HALOCLINE_HD inline void couple_last(const LineSystems<T, true>& lines, const T* weights, const T* left, const T* right,
                                     Q (&upper)[2], Q (&lower)[2]) {
  const Index last = lines.nodes - 1;
  const T *here = weights + last * couplings_per_node * lanes, *behind = weights;
  for (int side = 0; side < 2; ++side) {
    const T* from = side == 0 ? left : right;
    Q v[4], next[4];
    for (int c = 0; c < 4; ++c) {
      v[c] = load<Q>(from + (4 * last + c) * lanes);
      next[c] = load<Q>(from + c * lanes);
    }
    couple_element(lines.table + 24 * last, here + (12 + 6 * side) * lanes, behind + 6 * side * lanes, v, next,
                   upper[side], lower[side]);
  }
}

// D^-1 (b + sign H (left, right)) for one group of lines, all pointers at its lane; b, or left and right, may be null.
// `z` is a line of scratch; out(k, x) takes the unknowns of node k, k descending, and may store them to z.
template <class Q, class T, bool Ring, class Out>
HALOCLINE_HD inline void solve_coupled(const LineSystems<T, Ring>& lines, Index group, Index lane, const T* left,
                                       const T* right, const T* b, T sign, T* z, const Out& out) {
  const T* factors = lines.factors + group * lines.nodes * factors_per_node<Ring> * lanes + lane;
  const T* weights = lines.couplings + group * lines.nodes * couplings_per_node * lanes + lane;
  Q lower[2], before[4], l[4], r[4];
  for (int c = 0; c < 4; ++c) {
    before[c] = zero<Q>();
    l[c] = left != nullptr ? load<Q>(left + c * lanes) : zero<Q>();
    r[c] = left != nullptr ? load<Q>(right + c * lanes) : zero<Q>();
  }
  lower[0] = lower[1] = zero<Q>();
  [[maybe_unused]] RingSolve<Q> ring;
  [[maybe_unused]] Q closing[2] = {zero<Q>(), zero<Q>()};  // of the last element, to the last node
  if constexpr (Ring) {
    ring.begin();
    if (left != nullptr) couple_last(lines, weights, left, right, closing, lower);
  }
  for (Index k = 0; k < lines.nodes; ++k) {
    Q row[4] = {lower[0], lower[1], zero<Q>(), zero<Q>()};
    lower[0] = lower[1] = zero<Q>();
    if (left != nullptr && k + 1 < lines.nodes) {
      const T *here = weights + k * couplings_per_node * lanes, *behind = here + couplings_per_node * lanes;
      Q next[4];
      for (int c = 0; c < 4; ++c) next[c] = load<Q>(left + (4 * (k + 1) + c) * lanes);
      couple_element(lines.table + 24 * k, here + 12 * lanes, behind, l, next, row[2], lower[0]);
      for (int c = 0; c < 4; ++c) l[c] = next[c];
      for (int c = 0; c < 4; ++c) next[c] = load<Q>(right + (4 * (k + 1) + c) * lanes);
      couple_element(lines.table + 24 * k, here + 18 * lanes, behind + 6 * lanes, r, next, row[3], lower[1]);
      for (int c = 0; c < 4; ++c) r[c] = next[c];
    }
    if constexpr (Ring)
      for (int h = 0; h < 2 && k + 1 == lines.nodes; ++h) row[2 + h] = row[2 + h] + closing[h];
    for (int c = 0; c < 4; ++c) {
      row[c] = sign * row[c];
      if (b != nullptr) row[c] = load<Q>(b + (4 * k + c) * lanes) + row[c];
    }
    const T* const own = factors + k * factors_per_node<Ring> * lanes;
    if constexpr (Ring) ring.take(k + 1 == lines.nodes, row);
    eliminate_node(own, row, before);
    if constexpr (Ring) ring.lose(own, row);
    for (int c = 0; c < 4; ++c) store(z + (4 * k + c) * lanes, row[c]);
  }
  Q next[4];
  for (int c = 0; c < 4; ++c) next[c] = zero<Q>();
  for (Index k = lines.nodes - 1; k >= 0; --k) {
    Q row[4];
    for (int c = 0; c < 4; ++c) row[c] = load<Q>(z + (4 * k + c) * lanes);
    const T* const own = factors + k * factors_per_node<Ring> * lanes;
    if constexpr (Ring) ring.couple(k + 1 == lines.nodes, own, row);
    substitute_node(own, row, next);
    if constexpr (Ring) ring.keep(k + 1 == lines.nodes, next);
    out(k, next);
  }
}

// target = D^-1 (b + sign H), group by group from `first` on.
template <class T, bool Ring>
struct CoupledSolveBody {
  LineSystems<T, Ring> lines;
  BlockLineGroups<T> neighbors;  // of group g: groups g + left and g + left + 1; x null: none
  Index left;
  const T* b;
  T sign;
  T* target;
  Index first;
  template <class P>
  HALOCLINE_HD void operator()(Index n, Index /*piece*/, Index lane) const {
    const Index g = first + n;
    T* to = target + g * lines.group_size() + lane;
    const bool coupled = neighbors.x != nullptr;
    solve_coupled<Like<P, T>>(lines, g, lane, coupled ? neighbors.group(g + left) + lane : nullptr,
                              coupled ? neighbors.group(g + left + 1) + lane : nullptr,
                              b != nullptr ? b + g * lines.group_size() + lane : nullptr, sign, to,
                              [to](Index k, const Like<P, T>(&x)[4]) {
                                for (int c = 0; c < 4; ++c) store(to + (4 * k + c) * lanes, x[c]);
                              });
  }
};

// y = (I - D_B^-1 H_R D_R^-1 H_B) x on black lines, with the K sums of ProductDots per line.
template <class T, bool Ring, int K>
struct BlackProductBody {
  LineSystems<T, Ring> black;
  BlockLineGroups<T> x;
  const T* w;
  T* y;
  // From the red groups left and right of group g of black lines.
  template <class P, class Sink>
  HALOCLINE_HD void solve(Index g, Index lane, const T* left, const T* right, Sink& sink) const {
    using Q = Like<P, T>;
    const Index start = g * black.group_size() + lane;
    const T *own = x.x + start, *weight = w + start;  // not the ghost copy of the last group: its empty lanes are full
    T* to = y + start;
    ProductDots<Q, K> dots;
    solve_coupled<Q>(black, g, lane, left, right, static_cast<const T*>(nullptr), T{1}, to,
                     [&](Index k, const Q(&solved)[4]) {
                       for (int c = 0; c < 4; ++c) {
                         const Index at = (4 * k + c) * lanes;
                         const Q minuend = load<Q>(own + at), value = minuend - solved[c];
                         store(to + at, value);
                         dots.add(c / 2, minuend, value, load<Q>(weight + at));
                       }
                     });
    for (int k = 0; k < K; ++k) sink.add(k, widened(dots.sum[k][0] + dots.sum[k][1]));
  }
};

// On a GPU, after the red lines: `red` holds them group by group.
template <class T, bool Ring, int K>
struct BlackLinesBody {
  BlackProductBody<T, Ring, K> product;
  const T* red;
  Index first;
  template <class P, class Sink>
  HALOCLINE_HD void operator()(Index n, Index /*piece*/, Index lane, Sink& sink) const {
    const T* left = red + (first + n) * product.black.group_size() + lane;
    product.template solve<P>(first + n, lane, left, left + product.black.group_size(), sink);
  }
};

// On the host: a thread rolls over neighboring groups of a range and keeps two groups of red lines in cache.
// Traffic per group: factors, couplings, x and w once, y twice; ranges share a red group.
template <class T, bool Ring, int K>
struct RollingBody {
  BlackProductBody<T, Ring, K> product;
  LineSystems<T, Ring> red;
  Index first, last, ranges;  // groups first .. last-1, cut into ranges of nearly equal length
  T* scratch;                 // two groups per range
  template <class P, class Sink>
  HALOCLINE_HD void operator()(Index range, Index /*piece*/, Index lane, Sink& sink) const {
    const Index groups = last - first, size = red.group_size();
    const Index begin = first + groups * range / ranges, end = first + groups * (range + 1) / ranges;
    T* own = scratch + 2 * range * size + lane;
    for (Index g = begin; g <= end; ++g) {
      T* to = own + (g - begin) % 2 * size;
      solve_coupled<Like<P, T>>(red, g, lane, product.x.group(g - 1) + lane, product.x.group(g) + lane,
                                static_cast<const T*>(nullptr), T{1}, to, [to](Index k, const Like<P, T>(&x)[4]) {
                                  for (int c = 0; c < 4; ++c) store(to + (4 * k + c) * lanes, x[c]);
                                });
      if (g > begin) product.template solve<P>(g - 1, lane, own + (g - 1 - begin) % 2 * size, to, sink);
    }
  }
};

// Couplings of a group of lines to both neighbors.
template <class S, class T>
struct CouplingsBody {
  EquationView<S> view;
  const Index* lines;  // [group][lane]: own line, -1: none
  T* couplings;
  template <class P>
  HALOCLINE_HD void operator()(Index group, Index /*piece*/, Index lane) const {
    const Index nodes = view.block.nodes();
    for (Index k = 0; k < nodes; ++k)
      for (Index l = lane; l < (is_pack<P> ? lanes : lane + 1); ++l) {
        const Index line = lines[group * lanes + l];
        T* to = couplings + (group * nodes + k) * couplings_per_node * lanes + l;
        for (int c = 0; c < 4; ++c)
          for (int xs = 0; xs < 2; ++xs) {
            S weights[3] = {0, 0, 0};
            if (line >= 0 && view.exists(view.block.first_line + line, k, c))
              x_weights(view, line, k, c, (c % 2 == 0 ? 0 : 2) + xs, weights);
            for (int p = 0; p < 3; ++p) to[(6 * c + 2 * p + xs) * lanes] = static_cast<T>(weights[p]);
          }
      }
  }
};

// Between lines of nodal_layout.hpp in double and groups of lines: groups = factor * nodal (empty lanes zero) or
// nodal = factor * groups.
template <class T>
struct PackLinesBody {
  NodalLines<double> nodal;
  NodalBlock block;
  const Index* lines;
  T* groups;
  double factor;
  HALOCLINE_HD void operator()(Index group, Index k, Index n) const {
    const Index lane = n % lanes, line = lines[group * lanes + lane];
    const int c = static_cast<int>(n / lanes);
    groups[(group * block.nodes() + k) * 4 * lanes + n] =
        line < 0 ? T{0} : static_cast<T>(factor * nodal.line(line)[block.place(c, k)]);
  }
};
template <class T>
struct UnpackLinesBody {
  const T* groups;
  EquationView<double> sides;  // its block and tangents
  const Index* lines;
  double* nodal;
  double factor;
  HALOCLINE_HD void operator()(Index group, Index k, Index lane) const {
    const NodalBlock& block = sides.block;
    const Index line = lines[group * lanes + lane];
    if (line < 0) return;
    const T* from = groups + (group * block.nodes() + k) * 4 * lanes + lane;
    double value[4];
    for (int c = 0; c < 4; ++c) value[c] = factor * static_cast<double>(from[c * lanes]);
    // On sides (v, w) must be a multiple of the tangent to the precision of double.
    sides.reduce(block.first_line + line, k, value);
    sides.expand(block.first_line + line, k, value);
    for (int c = 0; c < 4; ++c) nodal[line * block.line_size() + block.place(c, k)] = 0.0 + value[c];  // no -0.0
  }
};

// A part's first and last black line in a row, for its neighbors; always in double.
template <class T>
struct EdgeBody {
  const T* x;
  double* edges;
  Index offset[2];
  Index size;  // of a line
  HALOCLINE_HD void operator()(Index side, Index k) const {
    edges[side * size + k] = static_cast<double>(x[offset[side] + k * lanes]);
  }
};

// Number k of a lane of ghost group q: -1, the last one, the one beyond.
template <class T>
struct LineGhostBody {
  const T* x;
  const double* halo;          // left line, then right line
  const GhostSource* sources;  // [3][lanes]
  T* ghost;
  Index size;  // of a line
  HALOCLINE_HD void operator()(Index q, Index k, Index lane) const {
    const GhostSource& s = sources[q * lanes + lane];
    T value = 0;
    if (s.kind == GhostSource::local) {
      value = x[s.offset + k * lanes];
    } else if (s.kind != GhostSource::none) {
      value = static_cast<T>(halo[(s.kind == GhostSource::left_halo ? 0 : size) + k]);
    }
    ghost[(q * size + k) * lanes + lane] = value;
  }
};

}  // namespace halocline::collocation
