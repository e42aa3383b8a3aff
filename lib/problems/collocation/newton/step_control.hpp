// How far the linear equations of a step of Newton's method are solved, and how much of the step is taken.
//
// Tolerances: Eisenstat, Walker, SIAM J. Sci. Comput. 17 (1996) 16-32, choice 2 with its safeguard. Damping:
// backtracking by the residual, Eisenstat, Walker, SIAM J. Optim. 4 (1994) 393-422, with the minimum of a parabola.
#pragma once

#include <algorithm>
#include <cmath>

namespace halocline::collocation {

// Relative residuals that linear equations are solved to. Those of the first step have the data of the sides in their
// right-hand side, large numbers beside which the rest is small; of those of the second nothing is known.
constexpr double loosest_tolerance = 0.1, second_tolerance = 1e-2, tightest_tolerance = 1e-6;

// After a step that has taken the norm of the residual from `before` to `after`, solved to `last`.
inline double next_tolerance(double before, double after, double last) {
  constexpr double gamma = 0.9;
  const double ratio = after / before, memory = gamma * last * last;
  double tolerance = gamma * ratio * ratio;
  if (memory > 0.1) tolerance = std::max(tolerance, memory);
  return std::clamp(std::isfinite(tolerance) ? tolerance : loosest_tolerance, tightest_tolerance, loosest_tolerance);
}

// Whether the share `t` of a step reduces the residual enough. Not where `after` is no number.
inline bool reduces(double t, double before, double after) { return after <= (1 - 1e-4 * t) * before; }

// The share to try after `t`: the minimum of the parabola through the squares of the norms at 0 and t with the slope
// that exact linear equations give at 0, between a tenth and a half of t.
inline double shorter(double t, double before, double after) {
  const double ratio = after / before, curvature = ratio * ratio - 1 + 2 * t;
  const double best = std::isfinite(ratio) && curvature > 0 ? t * t / curvature : 0;
  return std::clamp(best, 0.1 * t, 0.5 * t);
}
constexpr double least_share = 1e-5;

}  // namespace halocline::collocation
