// Body of scaled_copy.hpp: rows x quadruples of numbers.
#pragma once

#include "lib/base/types.hpp"

namespace halocline {

template <class From, class To>
struct ScaledCopyBody {
  const From* from;
  To* to;
  double factor;
  Index size;  // of a row

  // A thread moves four numbers as one.
  HALOCLINE_HD void operator()(Index row, Index n) const {
    struct alignas(4 * sizeof(From)) Source {
      From number[4];
    };
    struct alignas(4 * sizeof(To)) Target {
      To number[4];
    };
    const Index at = row * size + 4 * n;
    const Source source = *reinterpret_cast<const Source*>(from + at);
    Target target;
    for (int k = 0; k < 4; ++k) target.number[k] = static_cast<To>(factor * source.number[k]);
    *reinterpret_cast<Target*>(to + at) = target;
  }
  void row(Index row, Index begin, Index end) const {
    const From* source = from + row * size;
    To* target = to + row * size;
#pragma omp simd
    for (Index n = 4 * begin; n < 4 * end; ++n) target[n] = static_cast<To>(factor * source[n]);
  }
};

}  // namespace halocline
