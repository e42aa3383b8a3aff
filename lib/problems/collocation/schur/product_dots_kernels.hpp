// ProductDots: the sums that come with a product on black lines.
#pragma once

#include "lib/base/pack.hpp"

namespace halocline::collocation {

// Of a product y of x with a weight w, as one thread adds them up over two places: {(y, y), (y, w)}, or with K = 5
// {(y, y), (y, x), (x, x), (y, w), (x, w)}.
template <class P, int K>
struct ProductDots {
  P sum[K][2];
  HALOCLINE_HD ProductDots() {
    for (int k = 0; k < K; ++k) sum[k][0] = sum[k][1] = zero<P>();
  }
  HALOCLINE_HD void add(int at, const P& x, const P& y, const P& w) {
    sum[0][at] = sum[0][at] + y * y;
    if constexpr (K == 2) {
      sum[1][at] = sum[1][at] + y * w;
    } else {
      sum[1][at] = sum[1][at] + y * x;
      sum[2][at] = sum[2][at] + x * x;
      sum[3][at] = sum[3][at] + y * w;
      sum[4][at] = sum[4][at] + x * w;
    }
  }
};

}  // namespace halocline::collocation
