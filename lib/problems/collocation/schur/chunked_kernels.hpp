// Bodies of the Schur product for devices with many threads: lines are cut into chunks that are solved independently.
//
// The recurrences of the line solves forget: a chunk begins from zero a few elements early, and by its first element
// the influence of that start has fallen below the last bit (warm_up_elements() in line_matrices.hpp). Four passes over
// the lines, eliminate and substitute for red and for black; the sums are those of every chunk of every line.
#pragma once

#include "lib/problems/collocation/schur/schur_kernels.hpp"

namespace halocline::collocation {

struct Chunks {
  Index elements, chunk, warm_up;
  HALOCLINE_HD Index count() const { return (elements + chunk - 1) / chunk; }
  HALOCLINE_HD Index begin(Index piece) const { return piece * chunk; }
  HALOCLINE_HD Index end(Index piece) const { return (piece + 1) * chunk < elements ? (piece + 1) * chunk : elements; }
  HALOCLINE_HD Index early(Index piece) const { return begin(piece) > warm_up ? begin(piece) - warm_up : 0; }
  HALOCLINE_HD Index late(Index piece) const {
    return end(piece) + warm_up < elements ? end(piece) + warm_up : elements;
  }
};

// Couples the lines next to a line and eliminates forward: z. Traffic per group: reads the two neighbors, writes z.
struct EliminateBody {
  const double* coefficients;
  LineGroups neighbors;  // of group g: groups g + left and g + left + 1
  Index left;
  double* z;
  Index first_group;
  Chunks chunks;
  template <class P>
  HALOCLINE_HD void operator()(Index group, Index piece, Index lane) const {
    const Index g = first_group + group, rows = 2 * chunks.elements;
    const double* before = neighbors.group(g + left) + lane;
    const double* after = neighbors.group(g + left + 1) + lane;
    eliminate<P>(
        coefficients, chunks.early(piece), chunks.begin(piece), chunks.end(piece),
        [&](Index e, P(&r1)[2], P(&r2)[2]) {
          P from_right[2], from_left[2], unused[2];
          couple(after, coefficients, e, rows, from_right, unused);
          couple(before, coefficients, e, rows, unused, from_left);
          for (int q = 0; q < 2; ++q) {
            r1[q] = from_right[q] + from_left[q];
            r2[q] = from_right[q] - from_left[q];
          }
        },
        z + g * neighbors.group_size + lane);
  }
};

// Back substitution on red lines. Traffic per group: reads z, writes t.
struct SubstituteRedBody {
  const double* coefficients;
  const double* z;
  double* t;
  Index first_group, group_size;
  Chunks chunks;
  template <class P>
  HALOCLINE_HD void operator()(Index group, Index piece, Index lane) const {
    const Index start = (first_group + group) * group_size + lane;
    substitute<P>(coefficients, chunks.late(piece), chunks.end(piece), chunks.begin(piece), z + start,
                  [&](Index e, const P(&v)[2], const P(&w)[2]) {
                    double* to = t + start + 4 * e * lanes;
                    store(to, v[0]);
                    store(to + lanes, w[0]);
                    store(to + 2 * lanes, v[1]);
                    store(to + 3 * lanes, w[1]);
                  });
  }
};

// Back substitution on black lines: y = x - solution, with the K sums of ProductDots. Traffic per group: reads z, x and
// w, writes y.
template <int K>
struct SubstituteBlackBody {
  const double* coefficients;
  const double* z;
  LineGroups black;
  const double* w;
  double* y;
  const Index* lengths;  // black lines per lane
  Index first_group;
  Chunks chunks;
  template <class P, class Sink>
  HALOCLINE_HD void operator()(Index group, Index piece, Index lane, Sink& sink) const {
    const Index g = first_group + group, start = g * black.group_size + lane;
    const double* x = black.x + g * black.group_size + lane;  // not the ghost copy: its empty lanes are full
    int used = 0;
    while (used < lanes && lengths[used] > g) ++used;
    P sum[K];
    for (int k = 0; k < K; ++k) sum[k] = zero<P>();
    substitute<P>(coefficients, chunks.late(piece), chunks.end(piece), chunks.begin(piece), z + start,
                  [&](Index e, const P(&v)[2], const P(&ww)[2]) {
                    for (int q = 0; q < 2; ++q) {
                      const Index at = (4 * e + 2 * q) * lanes;
                      const P x_v = load<P>(x + at), x_w = load<P>(x + at + lanes);
                      const P y_v = clear_from(used, static_cast<int>(lane), x_v - v[q]);
                      const P y_w = clear_from(used, static_cast<int>(lane), x_w - ww[q]);
                      store(y + start + at, y_v);
                      store(y + start + at + lanes, y_w);
                      const P w_v = load<P>(w + start + at), w_w = load<P>(w + start + at + lanes);
                      sum[0] = sum[0] + y_v * y_v + y_w * y_w;
                      if constexpr (K == 2) {
                        sum[1] = sum[1] + y_v * w_v + y_w * w_w;
                      } else {
                        sum[1] = sum[1] + y_v * x_v + y_w * x_w;
                        sum[2] = sum[2] + x_v * x_v + x_w * x_w;
                        sum[3] = sum[3] + y_v * w_v + y_w * w_w;
                        sum[4] = sum[4] + x_v * w_v + x_w * w_w;
                      }
                    }
                  });
    for (int k = 0; k < K; ++k) sink.add(k, sum[k]);
  }
};

}  // namespace halocline::collocation
