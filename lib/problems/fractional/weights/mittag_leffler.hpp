// The Mittag-Leffler function on the negative axis: what relaxation D^order u = -u does in time.
#pragma once

namespace halocline::fractional {

// E_order(-x) = sum_n (-x)^n / Gamma(order n + 1) for 0 < order <= 1, x >= 0. Relative error 1e-15 for orders .05 to
// .8, 2e-15 at .95, 1.5e-13 at .99: the trapezoidal rule on the integral over the branch cut, 400 to 10 000 points.
double mittag_leffler(double order, double x);

}  // namespace halocline::fractional
