// The polynomials of stability of stabilized methods in closed form, from the papers that stage_table.hpp names.
#pragma once

#include <cmath>

#include "lib/problems/diffusion/options.hpp"

namespace halocline::diffusion {

inline double chebyshev(int s, double x) {
  if (x > 1) return std::cosh(s * std::acosh(x));
  if (x < -1) return (s % 2 == 0 ? 1 : -1) * std::cosh(s * std::acosh(-x));
  return std::cos(s * std::acos(x));
}

/// What a step of s stages multiplies a mode by whose rate times the step is z <= 0.
inline double stability(TimeMethod method, int s, double z) {
  if (method == TimeMethod::rkl2) {
    const double b = (s * s + s - 2.0) / (2.0 * s * (s + 1));
    const double x = 1 + 4 * z / (s * s + s - 2.0);
    const double sign = x < 0 && s % 2 == 1 ? -1 : 1;  // the library's takes no arguments beyond [-1, 1] by rounding
    return 1 - b + b * sign * std::legendre(static_cast<unsigned>(s), std::min(std::abs(x), 1.0));
  }
  const double beyond = 2.0 / 13 / (s * s), w0 = 1 + beyond, theta = 2 * std::asinh(std::sqrt(beyond / 2));
  const double sh = std::sinh(theta);
  const double first = s * std::sinh(s * theta) / sh;
  const double second = s * (s * std::cosh(s * theta) * sh - std::sinh(s * theta) * w0) / (sh * sh * sh);
  const double b = second / (first * first);
  return 1 - b * std::cosh(s * theta) + b * chebyshev(s, w0 + first / second * z);
}

}  // namespace halocline::diffusion
