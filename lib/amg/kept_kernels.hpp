// Bodies of kept_results.hpp.
#pragma once

#include "lib/base/types.hpp"

namespace halocline::amg {

inline constexpr int kept_in_a_pass = 8;

// What was in fp32 before a result was scaled: y is `scale` s kept, rounded once to fp64, so that the quotient rounded
// to fp32 is what it was.
struct KeepResultBody {
  double inverse_scale;
  const double *s, *y;
  float* kept;
  HALOCLINE_HD void operator()(Index i) const { kept[i] = static_cast<float>(inverse_scale * y[i] / s[i]); }
};

// x += sum of c_j y_j, y_j formed as ScaledBody and OutEnd form it.
struct AddKeptBody {
  int count;
  double coefficient[kept_in_a_pass], scale[kept_in_a_pass];
  const float* kept[kept_in_a_pass];
  const double* s;
  double* x;
  HALOCLINE_HD void operator()(Index i) const {
    double sum = x[i];
    for (int j = 0; j < count; ++j) sum += coefficient[j] * (scale[j] * (s[i] * static_cast<double>(kept[j][i])));
    x[i] = sum;
  }
};

}  // namespace halocline::amg
