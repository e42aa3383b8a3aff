// Where an event function crosses zero inside a step: cubic Hermite polynomials, and the rules that decide whether
// there is an event. One system at a time, in doubles.
#pragma once

#include "lib/problems/ode_ensemble/stepper/functions.hpp"

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

// A search by Newton's method between `low` and `high`, by bisection where that leads out or is no number.
struct Search {
  double low, high, x;
  // Goes on from x, where the function has this value and slope; `left`: whether the aim lies above x. True: found.
  HALOCLINE_ODE bool found(double value, double slope, bool left) {
    (left ? low : high) = x;
    const double newton = x - fn_divide(value, slope);
    const bool inside = newton > low && newton < high;
    const double next = inside ? newton : 0.5 * (low + high), change = fn_fabs(next - x);
    x = next;
    return change < (inside ? 1e-8 : 1e-15);  // Newton's method has then twice as many digits
  }
};

// The extremum in (0, 1) of a cubic whose slopes at 0 and 1 have opposite signs.
HALOCLINE_ODE_APART double extremum_of(const Cubic& p) {
  Search search{0, 1, 0.5};
  const double first = p.slope(0);
  for (int i = 0; i < 60; ++i) {
    const double slope = p.slope(search.x), curvature = 2 * p.c[2] + 6 * p.c[3] * search.x;
    if (search.found(slope, curvature, slope * first > 0)) break;
  }
  return search.x;
}

// The root of p between low and high, where sign * p is positive at low and not at high.
HALOCLINE_ODE double root_between(const Cubic& p, double sign, double low, double high) {
  const double above = p(low), share = fn_divide(above, above - p(high));
  Search search{low, high, share > 0 && share < 1 ? low + share * (high - low) : 0.5 * (low + high)};
  for (int i = 0; i < 60; ++i) {
    const double value = p(search.x);
    if (search.found(value, p.slope(search.x), sign * value > 0)) break;
  }
  return search.x;
}

// The first x in (0, 1] at which p, which has the sign `sign` at 0, reaches zero; p(1) has the other sign.
HALOCLINE_ODE double first_root(const Cubic& p, double sign) {
  double low = 0;
  const double a = 3 * p.c[3], b = p.c[2], d = b * b - a * p.c[1];
  if (d > 0) {  // up to two extrema, in order
    const double q = -(b + (b >= 0 ? fn_sqrt(d) : -fn_sqrt(d)));
    const double x1 = fn_divide(q, a), x2 = fn_divide(p.c[1], q);
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

// The first extremum of a cubic beyond 0; 2 where there is none.
HALOCLINE_ODE double first_extremum(const Cubic& p) {
  const double a = 3 * p.c[3], b = p.c[2], d = b * b - a * p.c[1];
  if (!(d > 0)) return 2;
  const double q = -(b + (b >= 0 ? fn_sqrt(d) : -fn_sqrt(d))), x1 = fn_divide(q, a), x2 = fn_divide(p.c[1], q);
  const double near = x1 < x2 ? x1 : x2, far = x1 < x2 ? x2 : x1;
  return near > 0 ? near : far > 0 ? far : 2;
}

// What one step did to one event.
struct Crossing {
  double theta;  // share of the step at which to look; above 1: nothing happened
  bool graze;    // theta is an extremum that may or may not reach zero
  bool back;     // the function was zero at the start of the step as well
};

// An event function at both ends of a step; sign is its sign at the start (0 while unknown).
struct EventSpan {
  double value0, slope0, sign, value1, slope1;
};

// An event that counts where it leaves the sign of its start. least: no crossing lies before this share. graze: whether
// extrema are looked at.
HALOCLINE_ODE_APART Crossing find_crossing(const EventSpan& f, double h, double tolerance, double least, bool graze) {
  const Crossing none{2, false, false};
  const bool small = fn_fabs(f.value1) <= tolerance, back = fn_fabs(f.value0) <= tolerance;
  // Exactly zero on end: a function that has jumped there.
  const bool flat = f.value1 == 0 && f.slope1 == 0;
  if (small) return f.sign * f.slope1 < 0 || flat ? Crossing{1, false, back} : none;
  Cubic p = hermite(h, f.value0, f.slope0, f.value1, f.slope1);
  if (f.sign * f.value1 < 0) {
    if (back) p = {{p.c[1], p.c[2], p.c[3], 0}};  // divided by theta
    return {largest(first_root(p, f.sign), least), false, back};
  }
  if (!graze || !(f.sign * f.slope0 < 0)) return none;
  if (!(f.sign * f.slope1 > 0)) {
    // Towards zero at both ends, and at zero in between: equations that change at zero have turned the function back.
    const double turn = first_extremum(p);
    return turn < 1 && f.sign * p(turn) < 0 ? Crossing{root_between(p, f.sign, 0, turn), true, back} : none;
  }
  const double x = extremum_of(p);
  if (x < 0.01) return none;  // the step began at the extremum: it has been looked at
  const double margin = 0.01 * (fn_fabs(f.value0) + fn_fabs(f.value1));
  return f.sign * p(x) <= margin ? Crossing{x, true, back} : none;
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
