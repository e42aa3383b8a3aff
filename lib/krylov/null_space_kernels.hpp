// Bodies for gpu/launch.hpp: sums over sets of unknowns, and what is taken from them.
#pragma once

#include "lib/linalg/vector_sum_kernels.hpp"

namespace halocline::vector_kernels {

// Sums of x over the sets first ... first + K - 1.
template <int K>
struct SetSumsBody {
  const double *sets, *x;
  double first;
  Rows rows;
  bool lane_is_chunk;
  template <class P, class Sink>
  HALOCLINE_HD void operator()(Index group, Index piece, Index lane, Sink& sink) const {
    using Q = Like<P, double>;
    constexpr int width = is_pack<Q> ? lanes : 1;
    const Index start = rows.start(group, lane), end = rows.end(piece);
    Q sum[K][2];
    for (int j = 0; j < K; ++j) sum[j][0] = sum[j][1] = zero<Q>();
    for (Index k = rows.begin(piece); k < end; k += rows.step()) {
      for (int q = 0; q < 2; ++q) {
        const Index at = start + (k + q) * lanes;
        Q set = load<Q>(sets + at);  // not constant: lane_of() of a number gives what may be set
        const Q value = load<Q>(x + at);
        for (int j = 0; j < K; ++j) {
          Q mine = value;
          for (int i = 0; i < width; ++i)
            if (lane_of(set, i) != first + j) lane_of(mine, i) = 0;
          sum[j][q] = sum[j][q] + mine;
        }
      }
    }
    for (int j = 0; j < K; ++j) deliver(sink, j, sum[j], lane_is_chunk);
  }
};

// x_i -= mean of the set that i belongs to, where it is one of first ... first + K - 1.
template <int K>
struct TakeMeansBody {
  const double* sets;
  double first;
  double mean[K];
  double* x;
  HALOCLINE_HD void operator()(Index i) const {
    for (int j = 0; j < K; ++j)
      if (sets[i] == first + j) x[i] -= mean[j];
  }
};

}  // namespace halocline::vector_kernels
