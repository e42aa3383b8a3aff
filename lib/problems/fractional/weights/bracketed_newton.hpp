// Newton's method inside a bracket: the root of a function that increases, to the last digits of a double.
#pragma once

#include <cmath>

namespace halocline::fractional {

struct ValueAndSlope {
  double value, slope;  // a slope that is not positive and finite is not used
};

// The x in [low, high] where `f(x).value` changes sign from - to +, to 1e-15 relative to x; bisects where Newton's step
// leaves the bracket. An end when the sign is the same everywhere.
template <class Function>
double bracketed_newton(double low, double high, double start, const Function& f) {
  double x = start, last_step = HUGE_VAL;
  while (true) {
    const ValueAndSlope at = f(x);
    if (at.value == 0) return x;
    (at.value < 0 ? low : high) = x;
    const double middle = low + 0.5 * (high - low);
    if (!(middle > low && middle < high) || high - low <= 1e-15 * std::abs(x)) return x;
    double next = middle;
    if (at.slope > 0 && std::isfinite(at.slope)) {
      const double step = at.value / at.slope, size = std::abs(step);
      // Rounding in f keeps steps from vanishing: a small one that is no smaller than the last ends it too.
      if (size <= 1e-15 * std::abs(x) || (size <= 1e-13 * std::abs(x) && 2 * size >= last_step)) return x;
      if (x - step > low && x - step < high) {
        next = x - step;
        last_step = size;
      }
    }
    x = next;
  }
}

}  // namespace halocline::fractional
