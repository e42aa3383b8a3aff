// Bodies of the red-black Schur method on groups of eight lines (see line_layout.hpp).
//
// With K = 2ny unknowns along a line, the red block solves 2 A1 V = r1, 2 A2 W = r2 on every red line, where r1 and r2
// are sum and difference of what the right and the left neighbor contribute; the same on black lines. All matrices are
// pentadiagonal and the same on every line. The method: docs/collocation.md.
#pragma once

#include "lib/base/pack.hpp"
#include "lib/base/types.hpp"
#include "lib/problems/collocation/discretization/line_layout.hpp"
#include "lib/problems/collocation/schur/line_kernels.hpp"
#include "lib/problems/collocation/schur/product_dots_kernels.hpp"

namespace halocline::collocation {

// Coefficients of one element along a line, 32 doubles:
//   0.. 7  A3 / 2: rows 2e and 2e+1, unknowns 2e-1 .. 2e+2        8..15  A4 / 2, likewise
//  16..23  factors of A1: l(2e,2e-1), l(2e+1,2e-1), l(2e+1,2e), then for rows 2e and 2e+1 the reciprocal pivot and the
//          upper entries times it: d0, u(2e,2e+1), u(2e,2e+2), d1, u(2e+1,2e+2)         24..31  factors of A2, likewise
constexpr int coefficients_per_element = 32;

// What the line at `line` contributes to the rows of element e of its left neighbor (to_left: A3 V - A4 W) and of its
// right neighbor (to_right: A3 V + A4 W), with the halved matrices.
template <class P>
HALOCLINE_HD inline void couple(const double* line, const double* coefficients, Index e, Index rows, P (&to_left)[2],
                                P (&to_right)[2]) {
  const double* c = coefficients + e * coefficients_per_element;
  const Index first = e > 0 ? 2 * e - 1 : 0, last = 2 * e + 2 < rows ? 2 * e + 2 : rows - 1;
  const Index unknown[4] = {first, 2 * e, 2 * e + 1, last};
  P a3[2] = {zero<P>(), zero<P>()}, a4[2] = {zero<P>(), zero<P>()};
  for (int m = 0; m < 4; ++m) {
    const P v = load<P>(line + 2 * unknown[m] * lanes);
    const P w = load<P>(line + (2 * unknown[m] + 1) * lanes);
    for (int q = 0; q < 2; ++q) {
      a3[q] = a3[q] + c[4 * q + m] * v;
      a4[q] = a4[q] + c[8 + 4 * q + m] * w;
    }
  }
  for (int q = 0; q < 2; ++q) {
    to_left[q] = a3[q] - a4[q];
    to_right[q] = a3[q] + a4[q];
  }
}

// Forward elimination of 2 A1 V = r1, 2 A2 W = r2 (halved) over the elements warm_up .. end-1 of a line, beginning from
// zero; stores the elements from `begin` on to `z`. rhs(e, r1, r2) gives the two rows of element e, e ascending.
template <class P, class Rhs>
HALOCLINE_HD inline void eliminate(const double* coefficients, Index warm_up, Index begin, Index end, const Rhs& rhs,
                                   double* z) {
  P v = zero<P>(), w = zero<P>();
  for (Index e = warm_up; e < end; ++e) {
    P r1[2], r2[2];
    rhs(e, r1, r2);
    const double* f = coefficients + e * coefficients_per_element + 16;
    const P v0 = r1[0] - f[0] * v, w0 = r2[0] - f[8] * w;
    v = (r1[1] - f[1] * v) - f[2] * v0;
    w = (r2[1] - f[9] * w) - f[10] * w0;
    if (e < begin) continue;
    double* to = z + 4 * e * lanes;
    store(to, v0);
    store(to + lanes, w0);
    store(to + 2 * lanes, v);
    store(to + 3 * lanes, w);
  }
}

// Back substitution over the elements warm_up-1 down to `begin`, beginning from zero; out(e, v, w) takes the unknowns
// 2e and 2e+1 of the elements below `end`, e descending. `out` may store to where `z` lies.
template <class P, class Out>
HALOCLINE_HD inline void substitute(const double* coefficients, Index warm_up, Index end, Index begin, const double* z,
                                    const Out& out) {
  P v = zero<P>(), w = zero<P>();
  for (Index e = warm_up - 1; e >= begin; --e) {
    const double* f = coefficients + e * coefficients_per_element + 16;
    const double* from = z + 4 * e * lanes;
    const P v1 = f[6] * load<P>(from + 2 * lanes) - f[7] * v;
    const P w1 = f[14] * load<P>(from + 3 * lanes) - f[15] * w;
    v = (f[3] * load<P>(from) - f[5] * v) - f[4] * v1;
    w = (f[11] * load<P>(from + lanes) - f[13] * w) - f[12] * w1;
    if (e >= end) continue;
    const P vs[2] = {v, v1}, ws[2] = {w, w1};
    out(e, vs, ws);
  }
}

// Both, along a whole line; `z` holds a line of scratch.
template <class P, class Rhs, class Out>
HALOCLINE_HD inline void solve_line(const double* coefficients, Index elements, const Rhs& rhs, double* z,
                                    const Out& out) {
  eliminate<P>(coefficients, 0, 0, elements, rhs, z);
  substitute<P>(coefficients, elements, elements, 0, z, out);
}

// Fills a lane of unknown k of ghost group q.
struct GhostBody {
  const double* x;
  const double* halo;          // left line, then right line: 2 rows values each
  const GhostSource* sources;  // [4][lanes]
  double* ghost;
  Index rows;
  HALOCLINE_HD void operator()(Index q, Index k, Index lane) const {
    const GhostSource& s = sources[q * lanes + lane];
    double v = 0, w = 0;
    if (s.kind == GhostSource::local) {
      v = x[s.offset + 2 * k * lanes];
      w = x[s.offset + (2 * k + 1) * lanes];
    } else if (s.kind != GhostSource::none) {
      const double* line = halo + (s.kind == GhostSource::left_halo ? 0 : 2 * rows);
      v = line[2 * k];
      w = line[2 * k + 1];
    }
    double* to = ghost + (q * rows + k) * 2 * lanes + lane;
    to[0] = s.sign_v * v;
    to[lanes] = w;
  }
};

// y = (I - D_B^-1 H_R D_R^-1 H_B) x on the black lines of consecutive groups, with K sums per line.
// Red lines never leave the cache: the loop holds one red group and what the lines behind contribute.
// Traffic per group: reads x and w, writes y; scratch of 4 * rows * lanes doubles per range.
template <int K>
struct SchurBody {
  const double* coefficients;
  LineGroups black;
  const double* w;
  double* y;
  Index first, last, ranges;  // groups first .. last-1, cut into ranges of nearly equal length
  double* scratch;
  const Index* lengths;  // black lines per lane
  Index elements;

  // Flattened: the inner functions hand registers to each other, which only inlining keeps out of memory.
  template <class P, class Sink>
  [[gnu::flatten]] HALOCLINE_HD void operator()(Index range, Index /*piece*/, Index lane, Sink& sink) const {
    const Index rows = 2 * elements, groups = last - first;
    const Index begin = first + groups * range / ranges, end = first + groups * (range + 1) / ranges;
    double* red = scratch + range * 4 * rows * lanes + lane;
    double* from_black = red + 2 * rows * lanes;  // what the black line behind contributes
    double* from_red = from_black + rows * lanes;
    remember<P>(black.group(begin - 1) + lane, from_black);
    for (Index g = begin; g <= end; ++g) {
      solve_red<P>(black.group(g) + lane, from_black, red);
      if (g > begin) {
        solve_black<P>(g - 1, lane, red, from_red, sink);
      } else {
        remember<P>(red, from_red);
      }
    }
  }

 private:
  template <class P>
  HALOCLINE_HD void remember(const double* line, double* behind) const {
    for (Index e = 0; e < elements; ++e) {
      P to_left[2], to_right[2];
      couple(line, coefficients, e, 2 * elements, to_left, to_right);
      store(behind + 2 * e * lanes, to_right[0]);
      store(behind + (2 * e + 1) * lanes, to_right[1]);
    }
  }

  // Right-hand sides of element e of the line between `behind` and `ahead`; `behind` moves on to `ahead`.
  template <class P>
  HALOCLINE_HD void combine(const double* ahead, double* behind, Index e, P (&r1)[2], P (&r2)[2]) const {
    P to_left[2], to_right[2];
    couple(ahead, coefficients, e, 2 * elements, to_left, to_right);
    for (int q = 0; q < 2; ++q) {
      double* at = behind + (2 * e + q) * lanes;
      const P left = load<P>(at);
      r1[q] = to_left[q] + left;
      r2[q] = to_left[q] - left;
      store(at, to_right[q]);
    }
  }

  template <class P>
  HALOCLINE_HD void solve_red(const double* ahead, double* behind, double* red) const {
    solve_line<P>(
        coefficients, elements, [&](Index e, P(&r1)[2], P(&r2)[2]) { combine(ahead, behind, e, r1, r2); }, red,
        [&](Index e, const P(&v)[2], const P(&w)[2]) {
          double* to = red + 4 * e * lanes;
          store(to, v[0]);
          store(to + lanes, w[0]);
          store(to + 2 * lanes, v[1]);
          store(to + 3 * lanes, w[1]);
        });
  }

  template <class P, class Sink>
  HALOCLINE_HD void solve_black(Index g, Index lane, const double* ahead, double* behind, Sink& sink) const {
    const double* x = black.x + g * black.group_size + lane;  // not the ghost copy: its empty lanes are full
    const double* weight = w + g * black.group_size + lane;
    double* to = y + g * black.group_size + lane;
    // Lanes whose strip has ended hold zero; lengths decrease with the lane.
    int used = 0;
    while (used < lanes && lengths[used] > g) ++used;
    ProductDots<P, K> dots;
    solve_line<P>(
        coefficients, elements, [&](Index e, P(&r1)[2], P(&r2)[2]) { combine(ahead, behind, e, r1, r2); }, to,
        [&](Index e, const P(&v)[2], const P(&ww)[2]) {
          for (int q = 0; q < 2; ++q) {
            const Index at = (4 * e + 2 * q) * lanes;
            const P x_v = load<P>(x + at), x_w = load<P>(x + at + lanes);
            P value_v = x_v - v[q], value_w = x_w - ww[q];
            if (used < lanes) {
              value_v = clear_from(used, static_cast<int>(lane), value_v);
              value_w = clear_from(used, static_cast<int>(lane), value_w);
            }
            store(to + at, value_v);
            store(to + at + lanes, value_w);
            dots.add(0, x_v, value_v, load<P>(weight + at));
            dots.add(1, x_w, value_w, load<P>(weight + at + lanes));
          }
        });
    for (int k = 0; k < K; ++k) sink.add(k, dots.sum[k][0] + dots.sum[k][1]);
  }
};

// target = D^-1 (b - coupling of the lines at `left` and `right`), group by group; used once before and after the
// iteration. `left`, `right` null: no coupling. With `clear`, lanes beyond lengths are zeroed.
struct LineSolveBody {
  const double* coefficients;
  const double* b;
  const double* left;   // array whose group g lies left of the line
  const double* right;  // and right of it
  double* target;
  const Index* lengths;  // null: keep all lanes
  Index elements;
  template <class P>
  [[gnu::flatten]] HALOCLINE_HD void operator()(Index g, Index /*piece*/, Index lane) const {
    const Index rows = 2 * elements, size = 2 * rows * lanes;
    double* to = target + g * size + lane;
    int used = 0;
    while (used < lanes && (lengths == nullptr || lengths[used] > g)) ++used;
    solve_line<P>(
        coefficients, elements,
        [&](Index e, P(&r1)[2], P(&r2)[2]) {
          P from_right[2] = {zero<P>(), zero<P>()}, from_left[2] = {zero<P>(), zero<P>()}, ignored[2];
          if (left != nullptr) {
            couple(right + g * size + lane, coefficients, e, rows, from_right, ignored);
            couple(left + g * size + lane, coefficients, e, rows, ignored, from_left);
          }
          for (int q = 0; q < 2; ++q) {
            const double* row = b + g * size + lane + (4 * e + 2 * q) * lanes;
            r1[q] = load<P>(row) - (from_right[q] + from_left[q]);
            r2[q] = load<P>(row + lanes) - (from_right[q] - from_left[q]);
          }
        },
        to,
        [&](Index e, const P(&v)[2], const P(&w)[2]) {
          for (int q = 0; q < 2; ++q) {
            double* place = to + (4 * e + 2 * q) * lanes;
            store(place, used < lanes ? clear_from(used, static_cast<int>(lane), v[q]) : v[q]);
            store(place + lanes, used < lanes ? clear_from(used, static_cast<int>(lane), w[q]) : w[q]);
          }
        });
  }
};

}  // namespace halocline::collocation
