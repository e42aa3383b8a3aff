// Bodies of the vector operations that return sums. Values are added in T within a chunk and handed over as doubles.
#pragma once

#include "lib/linalg/vector_kernels.hpp"

namespace halocline::vector_kernels {

// Hands the sums of a group to the sink, lane by lane or joined.
template <class Q, class Sink>
HALOCLINE_HD void deliver(Sink& sink, int which, const Q (&value)[2], bool lane_is_chunk) {
  if (lane_is_chunk) {
    sink.add(which, widened(value[0] + value[1]));
  } else {
    sink.add_joined(which, widened(value[0] + value[1]));
  }
}

// (x, y), (x, x)
template <class T>
struct DotsBody {
  const T *x, *y;
  Rows rows;
  bool lane_is_chunk;
  template <class P, class Sink>
  HALOCLINE_HD void operator()(Index group, Index piece, Index lane, Sink& sink) const {
    using Q = Like<P, T>;
    const Index start = rows.start(group, lane), end = rows.end(piece);
    Q xy[2] = {zero<Q>(), zero<Q>()}, xx[2] = {zero<Q>(), zero<Q>()};
    for (Index k = rows.begin(piece); k < end; k += rows.step()) {
      for (int q = 0; q < 2; ++q) {
        const Index at = start + (k + q) * lanes;
        const Q value = load<Q>(x + at);
        xy[q] = xy[q] + value * load<Q>(y + at);
        xx[q] = xx[q] + value * value;
      }
    }
    deliver(sink, 0, xy, lane_is_chunk);
    deliver(sink, 1, xx, lane_is_chunk);
  }
};

// Leaves the sums of DotsBody as (x, x), (x, y).
struct StoreDots {
  double* sums;
  HALOCLINE_HD void operator()(const double* of_body) const {
    sums[0] = of_body[1];
    sums[1] = of_body[0];
  }
};
// Leaves K sums in their order.
template <int K>
struct StoreSums {
  double* sums;
  HALOCLINE_HD void operator()(const double* of_body) const {
    for (int k = 0; k < K; ++k) sums[k] = of_body[k];
  }
};

// (v_j, y)
template <class T, int K>
struct MultiDotBody {
  const T* v[K];
  const T* y;
  Rows rows;
  bool lane_is_chunk;
  template <class P, class Sink>
  HALOCLINE_HD void operator()(Index group, Index piece, Index lane, Sink& sink) const {
    using Q = Like<P, T>;
    const Index start = rows.start(group, lane), end = rows.end(piece);
    Q sum[K][2];
    for (int j = 0; j < K; ++j) sum[j][0] = sum[j][1] = zero<Q>();
    for (Index k = rows.begin(piece); k < end; k += rows.step()) {
      for (int q = 0; q < 2; ++q) {
        const Index at = start + (k + q) * lanes;
        const Q value = load<Q>(y + at);
        for (int j = 0; j < K; ++j) sum[j][q] = sum[j][q] + load<Q>(v[j] + at) * value;
      }
    }
    for (int j = 0; j < K; ++j) deliver(sink, j, sum[j], lane_is_chunk);
  }
};

// (v_i, v_j) for every Pair<i, j>, in one pass over the V vectors.
template <int I, int J>
struct Pair {
  static constexpr int i = I, j = J;
};
template <class T, int V, class... Pairs>
struct PairDotsBody {
  const T* v[V];
  Rows rows;
  bool lane_is_chunk;
  template <class P, class Sink>
  HALOCLINE_HD void operator()(Index group, Index piece, Index lane, Sink& sink) const {
    using Q = Like<P, T>;
    constexpr int K = sizeof...(Pairs);
    const Index start = rows.start(group, lane), end = rows.end(piece);
    Q sum[K][2];
    for (int n = 0; n < K; ++n) sum[n][0] = sum[n][1] = zero<Q>();
    for (Index k = rows.begin(piece); k < end; k += rows.step()) {
      for (int q = 0; q < 2; ++q) {
        const Index at = start + (k + q) * lanes;
        Q value[V];
        for (int n = 0; n < V; ++n) value[n] = load<Q>(v[n] + at);
        int n = 0;
        ((sum[n][q] = sum[n][q] + value[Pairs::i] * value[Pairs::j], ++n), ...);
      }
    }
    for (int n = 0; n < K; ++n) deliver(sink, n, sum[n], lane_is_chunk);
  }
};
// u, w, r and q; t, s and r0; c, x, t, s and r0: as vector_sums.hpp names their sums.
template <class T>
using EnergySumsBody = PairDotsBody<T, 3, Pair<0, 1>, Pair<0, 2>, Pair<2, 2>>;
template <class T>
using EnergyAndLastSumsBody = PairDotsBody<T, 4, Pair<0, 1>, Pair<0, 2>, Pair<2, 2>, Pair<0, 3>>;
template <class T>
using StepSumsBody = PairDotsBody<T, 3, Pair<0, 0>, Pair<0, 1>, Pair<1, 1>, Pair<0, 2>, Pair<1, 2>>;
template <class T>
using CorrectionSumsBody =
    PairDotsBody<T, 5, Pair<2, 2>, Pair<2, 3>, Pair<3, 3>, Pair<2, 4>, Pair<3, 4>, Pair<0, 0>, Pair<1, 1>>;

// A body with sums as one without them.
struct IgnoredSums {
  template <class Q>
  HALOCLINE_HD void add(int, const Q&) {}
  template <class Q>
  HALOCLINE_HD void add_joined(int, const Q&) {}
};
template <class Body>
struct WithoutSums {
  Body body;
  template <class P>
  HALOCLINE_HD void operator()(Index group, Index piece, Index lane) const {
    IgnoredSums none;
    body.template operator()<P>(group, piece, lane, none);
  }
};

// x += a p + o r; r -= o t; (r, r), (r, w) of the new r
template <class T>
struct UpdateBody {
  T a, o;
  const T *p, *t, *w;
  T *x, *r;
  Rows rows;
  bool lane_is_chunk;
  template <class P, class Sink>
  HALOCLINE_HD void operator()(Index group, Index piece, Index lane, Sink& sink) const {
    using Q = Like<P, T>;
    const Index start = rows.start(group, lane), end = rows.end(piece);
    Q rr[2] = {zero<Q>(), zero<Q>()}, rw[2] = {zero<Q>(), zero<Q>()};
    // All loads of a batch before its first store, which they could not pass; registers of a GPU hold more rows.
    constexpr int batch = sizeof(Q) == sizeof(T) ? 2 : 1;
    const Index step = rows.step();
    for (Index k = rows.begin(piece); k < end; k += batch * step) {
      const int count = k + (batch - 1) * step < end ? batch : 1;
      Q old[batch][2], old_x[batch][2], from_p[batch][2], from_t[batch][2], from_w[batch][2];
      for (int n = 0; n < batch; ++n) {
        if (n >= count) break;
        for (int q = 0; q < 2; ++q) {
          const Index at = start + (k + n * step + q) * lanes;
          old[n][q] = load<Q>(r + at);
          old_x[n][q] = load<Q>(x + at);
          from_p[n][q] = load<Q>(p + at);
          from_t[n][q] = load<Q>(t + at);
          from_w[n][q] = load<Q>(w + at);
        }
      }
      for (int n = 0; n < batch; ++n) {
        if (n >= count) break;
        for (int q = 0; q < 2; ++q) {
          const Index at = start + (k + n * step + q) * lanes;
          store(x + at, old_x[n][q] + (a * from_p[n][q] + o * old[n][q]));
          const Q next = old[n][q] - o * from_t[n][q];
          store(r + at, next);
          rr[q] = rr[q] + next * next;
          rw[q] = rw[q] + next * from_w[n][q];
        }
      }
    }
    deliver(sink, 0, rr, lane_is_chunk);
    deliver(sink, 1, rw, lane_is_chunk);
  }
};

// p = u + beta p, s = w + beta s, x += alpha p, r -= alpha s; (r, r)
template <class T>
struct CgUpdateBody {
  T alpha, beta;
  const T *u, *w;
  T *p, *s, *x, *r;
  Rows rows;
  bool lane_is_chunk;
  template <class P, class Sink>
  HALOCLINE_HD void operator()(Index group, Index piece, Index lane, Sink& sink) const {
    using Q = Like<P, T>;
    const Index start = rows.start(group, lane), end = rows.end(piece);
    Q rr[2] = {zero<Q>(), zero<Q>()};
    for (Index k = rows.begin(piece); k < end; k += rows.step()) {
      for (int q = 0; q < 2; ++q) {
        const Index at = start + (k + q) * lanes;
        const Q old_x = load<Q>(x + at), old_r = load<Q>(r + at);
        const Q next_p = load<Q>(u + at) + beta * load<Q>(p + at);
        const Q next_s = load<Q>(w + at) + beta * load<Q>(s + at);
        const Q next_r = old_r - alpha * next_s;
        store(p + at, next_p);
        store(s + at, next_s);
        store(x + at, old_x + alpha * next_p);
        store(r + at, next_r);
        rr[q] = rr[q] + next_r * next_r;
      }
    }
    deliver(sink, 0, rr, lane_is_chunk);
  }
};

}  // namespace halocline::vector_kernels
