// Ends of products on a level of algebraic multigrid, and the ways into it and out of it.
#pragma once

#include "lib/linalg/vector_sum_kernels.hpp"

namespace halocline::amg {

// y = x + g - A x, a step of Jacobi's method on a scaled level.
template <class T>
struct SweepEnd {
  static constexpr int vectors = 3;
  const T *x, *g;
  T* y;
  HALOCLINE_HD void operator()(Index i, T sum) const { y[i] = (x[i] + g[i]) - sum; }
};

// The same as the last step on the finest level, out of it: y = factor s (x + g - A x) in fp64.
template <class T>
struct OutEnd {
  static constexpr int vectors = 2 + 16 / sizeof(T);
  double factor;
  const T *x, *g;
  const double* s;
  double* y;
  HALOCLINE_HD void operator()(Index i, T sum) const {
    const T result = (x[i] + g[i]) - sum;
    y[i] = factor * (s[i] * static_cast<double>(result));
  }
};

// y = x + P c
template <class T>
struct CorrectEnd {
  static constexpr int vectors = 2;
  const T* x;
  T* y;
  HALOCLINE_HD void operator()(Index i, T sum) const { y[i] = x[i] + sum; }
};

// A step of Chebyshev's method: r -= A d, d = momentum d + rate r, y += d. `next`: another place for d, which others
// still read.
template <class T>
struct ChebyshevEnd {
  static constexpr int vectors = 5;
  T momentum, rate;
  const T* d;
  T *r, *next, *y;
  HALOCLINE_HD void operator()(Index i, T sum) const {
    r[i] -= sum;
    next[i] = momentum * d[i] + rate * r[i];
    y[i] += next[i];
  }
};

// to = factor s from, rounded to To.
template <class From, class To>
struct ScaledBody {
  double factor;
  const double* s;
  const From* from;
  To* to;
  HALOCLINE_HD void operator()(Index i) const {
    to[i] = static_cast<To>(factor * (s[i] * static_cast<double>(from[i])));
  }
};

// (s r, s r)
struct NormInsideBody {
  const double *s, *r;
  vector_kernels::Rows rows;
  bool lane_is_chunk;
  template <class P, class Sink>
  HALOCLINE_HD void operator()(Index group, Index piece, Index lane, Sink& sink) const {
    using Q = Like<P, double>;
    const Index start = rows.start(group, lane), end = rows.end(piece);
    Q sum[2] = {zero<Q>(), zero<Q>()};
    for (Index k = rows.begin(piece); k < end; k += rows.step()) {
      for (int q = 0; q < 2; ++q) {
        const Index at = start + (k + q) * lanes;
        const Q value = load<Q>(s + at) * load<Q>(r + at);
        sum[q] = sum[q] + value * value;
      }
    }
    vector_kernels::deliver(sink, 0, sum, lane_is_chunk);
  }
};

// Numbers of rows in the order in which they are stored.
struct StoreBody {
  const double* from;
  const LocalIndex* place;  // null: natural
  double* to;
  HALOCLINE_HD void operator()(Index row) const { to[place != nullptr ? place[row] : row] = from[row]; }
};

// Factors of own rows, then those of listed local columns.
struct JoinFactorsBody {
  Index rows;
  const double *own, *of_columns;
  const LocalIndex* list;
  double* to;
  HALOCLINE_HD void operator()(Index i) const { to[i] = i < rows ? own[i] : of_columns[list[i - rows]]; }
};

template <class T>
struct TimesBody {
  T factor;
  const T* x;
  T* y;
  HALOCLINE_HD void operator()(Index i) const { y[i] = factor * x[i]; }
};

}  // namespace halocline::amg
