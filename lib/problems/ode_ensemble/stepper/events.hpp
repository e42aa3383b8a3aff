// Where an event function crosses zero inside a step: cubic Hermite polynomials, and the rules that decide whether
// there is an event. One system at a time, in doubles.
#pragma once

#include "lib/problems/ode_ensemble/stepper/lanes.hpp"

namespace halocline::ode_ensemble {
namespace {

// A polynomial of the share theta of a step, 0 <= theta <= 1.
struct Cubic {
  double c[4];
  HALOCLINE_ODE double operator()(double x) const { return c[0] + x * (c[1] + x * (c[2] + x * c[3])); }
  HALOCLINE_ODE double slope(double x) const { return c[1] + x * (2 * c[2] + 3 * x * c[3]); }
};

// The cubic with these values and slopes (per unit of time) at both ends of a step h.
HALOCLINE_ODE Cubic hermite(double h, double value0, double slope0, double value1, double slope1) {
  const double a = h * slope0, b = h * slope1, rise = value1 - value0;
  return {{value0, a, 3 * rise - 2 * a - b, a + b - 2 * rise}};
}

// The extremum in (0, 1) of a cubic whose slopes at 0 and 1 have opposite signs.
HALOCLINE_ODE_APART double extremum_of(const Cubic& p) {
  double low = 0, high = 1, x = 0.5;
  const double first = p.slope(0);
  for (int i = 0; i < 60; ++i) {
    const double slope = p.slope(x), curvature = 2 * p.c[2] + 6 * p.c[3] * x;
    if (slope * first > 0) {
      low = x;
    } else {
      high = x;
    }
    const double newton = x - slope / curvature;
    const double next = newton > low && newton < high ? newton : 0.5 * (low + high);  // also where newton is NaN
    const double change = next - x;
    x = next;
    if (change < 1e-15 && change > -1e-15) break;
  }
  return x;
}

// The root of p between low and high, where sign * p is positive at low and not at high.
HALOCLINE_ODE double root_between(const Cubic& p, double sign, double low, double high) {
  double x = 0.5 * (low + high);
  for (int i = 0; i < 60; ++i) {
    const double value = p(x);
    if (sign * value > 0) {
      low = x;
    } else {
      high = x;
    }
    const double newton = x - value / p.slope(x);
    const double next = newton > low && newton < high ? newton : 0.5 * (low + high);
    const double change = next - x;
    x = next;
    if (change < 1e-14 && change > -1e-14) break;
  }
  return x;
}

// The first x in (0, 1] at which p, which has the sign `sign` at 0, reaches zero; p(1) has the other sign.
HALOCLINE_ODE double first_root(const Cubic& p, double sign) {
  double low = 0;
  const double a = 3 * p.c[3], b = p.c[2], d = b * b - a * p.c[1];
  if (d > 0) {  // up to two extrema, in order
    const double q = -(b + (b >= 0 ? fn_sqrt(d) : -fn_sqrt(d)));
    const double x1 = q / a, x2 = p.c[1] / q;
    const double nearer = x1 < x2 ? x1 : x2, farther = x1 < x2 ? x2 : x1;
    if (nearer > 0 && nearer < 1) {
      if (sign * p(nearer) <= 0) return root_between(p, sign, low, nearer);
      low = nearer;
    }
    if (farther > 0 && farther < 1) {
      if (sign * p(farther) <= 0) return root_between(p, sign, low, farther);
      low = farther;
    }
  }
  return root_between(p, sign, low, 1);
}

// What one step did to one event.
struct Crossing {
  double theta;  // share of the step at which to look; above 1: nothing happened
  bool graze;    // theta is an extremum that may or may not reach zero
};

// An event function at both ends of a step; sign is its sign at the start (0 while unknown).
struct EventSpan {
  double value0, slope0, sign, value1, slope1;
};

// direction: -1 falling, +1 rising, 0 both. graze: whether extrema are looked at.
HALOCLINE_ODE_APART Crossing find_crossing(const EventSpan& f, double h, int direction, double tolerance, bool graze) {
  const Crossing none{2, false};
  if (f.sign == 0 || f.sign * direction > 0) return none;
  const bool small = fn_fabs(f.value1) <= tolerance;
  if (small) return f.sign * f.slope1 < 0 ? Crossing{1, false} : none;
  Cubic p = hermite(h, f.value0, f.slope0, f.value1, f.slope1);
  if (f.sign * f.value1 < 0) {
    if (fn_fabs(f.value0) <= tolerance) p = {{p.c[1], p.c[2], p.c[3], 0}};  // divided by theta
    return {first_root(p, f.sign), false};
  }
  if (!graze || !(f.sign * f.slope0 < 0 && f.sign * f.slope1 > 0)) return none;
  const double x = extremum_of(p);
  if (x < 0.01) return none;  // the step began at the extremum: it has been looked at
  const double margin = 0.01 * (fn_fabs(f.value0) + fn_fabs(f.value1));
  return f.sign * p(x) <= margin ? Crossing{x, true} : none;
}

// The sign of an event function, by its slope where the value is within the band; 0, not known, where the slope is
// within the tolerance too: the end of the next step tells.
template <class R>
HALOCLINE_ODE R sign_of(const R& value, const R& slope, const R& band, const R& tolerance) {
  const R by_slope = select(fn_fabs(slope) > tolerance, fn_sign(slope), R(0.0));
  return select(fn_fabs(value) > band, fn_sign(value), by_slope);
}

}  // namespace
}  // namespace halocline::ode_ensemble
