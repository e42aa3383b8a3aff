// What is done with a trial step of all lanes: locating events by retaking the step, accumulators, refined extrema.
#pragma once

#include "lib/problems/ode_ensemble/stepper/observe.hpp"

namespace halocline::ode_ensemble {
namespace {

// --- Events ----------------------------------------------------------------------------------------------------------

// On the way to an event: tries of Newton's method, then of the secant method, then bisection; more than it ever takes.
constexpr int newton_tries = 4, secant_tries = 12, most_tries = 200;

template <class R, class M>
HALOCLINE_ODE void stop_looking(Working<R, M>& w, int l) {
  auto& slow = w.slow[l];
  slow.target = -1;
  slow.tries = 0;
  slow.low = slow.high = 0;
  slow.graze = slow.last = false;
  set_lane(w.look, l, 0);
}

// The size of a trial, and whether it is the last on the way to an event.
struct NextLook {
  double size;
  bool last;
};

// Goes on from a trial of size h, at whose end the function has this value and slope, between `low`, up to which
// nothing has crossed, and `high`, at which something has. Steps by the slope, and by bisection where they lead out or
// take a long way. When no time is left between the ends the event is at the high one: functions jump there, or are no
// smaller.
HALOCLINE_ODE_APART NextLook next_look(double low, double high, double h, double value, double slope, double t,
                                       bool long_way) {
  const double unit = 2.3e-16 * (long_way ? fn_fabs(t + high) : high);
  if (high - low <= 2 * unit) return {high, true};
  double next = h - fn_divide(value, slope);
  // Where rounding keeps the steps from their aim, a little beyond it is the other end of a short bracket.
  if (long_way) next = fn_fabs(next - h) <= 4 * unit ? next + (high == h ? -4 : 4) * unit : low;
  return {next > low && next < high ? next : 0.5 * (low + high), false};
}

// Looks for event e from now on, at share theta of a trial of size h in which it has crossed, to `value`.
template <class R, class M>
HALOCLINE_ODE void look_for(Working<R, M>& w, int l, int e, const Crossing& found, double h, double value) {
  auto& slow = w.slow[l];
  slow.past = h, slow.past_value = value;
  slow.target = e;
  slow.graze = found.graze;
  slow.high = h;
  slow.last = false;
  ++slow.tries;
  const double next = found.theta * h;
  set_lane(w.look, l, next > slow.low ? next : 0.5 * (slow.low + h));
}

// Decides about an acceptable trial step of one system: true to keep it (with the events that fire in slow.fired),
// false to retake it with step size w.look. value, slope: event functions at the end of the trial of size h.
template <Method method, class R, class M>
HALOCLINE_ODE_RARE bool inspect(const M& m, const Ensemble& a, Working<R, M>& w, const Trial<R, M>& to, int l,
                                const R* value, const R* slope, double h) {
  auto& slow = w.slow[l];
  const int target = slow.target;
  const bool locating = target >= 0, long_way = slow.tries >= secant_tries;
  // Nothing has crossed up to the low end of the bracket, whatever the cubic of a function says that jumps.
  const double least = long_way ? slow.low / h : 0;
  Crossing found[M::event_capacity], best{2, false, false};
  int first = -1;
  double first_value = 0, target_value = 0, target_slope = 0;
  for (int e = 0; e < m.events + m.rests; ++e) {
    found[e] = {2, false, false};
    const EventSpan span{lane(w.value[e], l), lane(w.slope[e], l), lane(w.sign[e], l), lane(value[e], l),
                         lane(slope[e], l)};
    if (e == target) target_value = span.value1, target_slope = span.slope1;
    if (span.sign == 0 || span.sign * (e < m.events ? m.direction(e) : 1) > 0) continue;
    if (e >= m.events && lane(w.held[e - m.events], l) < 0.5) continue;
    found[e] = find_crossing(span, h, a.event_tolerance, least, !locating);
    if (found[e].theta < best.theta - 1e-9) best = found[e], first = e, first_value = span.value1;
  }
  if (first < 0 && (!locating || slow.graze)) {  // nothing, or an extremum that stays away from zero
    stop_looking(w, l);
    return true;
  }
  // After some tries: the slope at zero does not fit to the values, whose sign then counts, a little further on.
  const bool loosely = slow.tries >= newton_tries && first >= 0 && first < m.events && !m.acts(first);
  const double enough = loosely ? 4 * a.event_tolerance : a.event_tolerance;
  const bool small = first >= 0 && !best.graze && fn_fabs(first_value) <= enough;
  const bool tired = first >= 0 && slow.tries >= most_tries;
  if (tired) slow.status |= Status::event_loose;
  bool ends = small || tired || (slow.last && first >= 0);
  if (!ends && first >= 0 && (first != target || slow.graze)) {  // a new one
    if (!best.graze) best.theta = located<method>(m, w, to, l, first, h, best.theta);
    look_for(w, l, first, best, h, first_value);
    return false;
  }
  if (!ends) {
    (first >= 0 ? slow.high : slow.low) = h;
    // The value at the end of a trial is no function of its size whose slope is that along the solution: it has the
    // error of the step. Where this counts the slope is taken from two trials.
    if (slow.tries >= newton_tries) target_slope = fn_divide(target_value - slow.past_value, h - slow.past);
    slow.past = h, slow.past_value = target_value;
    const NextLook look = next_look(slow.low, slow.high, h, target_value, target_slope, lane(w.t, l), long_way);
    set_lane(w.look, l, look.size);
    slow.last = look.last;
    ++slow.tries;
    ends = look.last && slow.high == h;
  }
  if (!ends) return false;
  const double until = slow.last ? 1 : best.theta + 1e-9;  // at the end of a bracket all that have crossed it
  for (int e = 0; e < m.events + m.rests; ++e) {
    if (found[e].graze || found[e].theta > until || found[e].theta > 1) continue;
    slow.fired |= 1u << e;
    if (found[e].back) slow.back |= 1u << e;
  }
  stop_looking(w, l);
  return true;
}

// --- One trial of all lanes ------------------------------------------------------------------------------------------

// The extremum of an accumulator inside the step just accepted: of the cubic through its ends or on the continuous
// extension of the method.
template <Method method, class R, class M>
HALOCLINE_ODE_RARE double refined(const M& m, const Working<R, M>& w, const Trial<R, M>& to, int l, int k, double h,
                                  double value1, double slope1) {
  const Cubic p = hermite(h, lane(w.top[k], l), lane(w.top_slope[k], l), value1, slope1);
  double x = extremum_of(p);
  if constexpr (extension_of(method) == 0) return p(x);
  Inside<method, M> inside(m, w, to, l, h);
  double value[M::extremum_capacity], slope[M::extremum_capacity], low = 0, high = 1;
  const double rising = lane(w.top_slope[k], l);
  for (int i = 0; i < 8; ++i) {  // the root of e' on the extension
    inside.go(m, x);
    m.extremum_values(inside.at.point(), value, slope);
    if (slope[k] * rising > 0) {
      low = x;
    } else {
      high = x;
    }
    const double next = x - slope[k] / (p.c[2] * 2 + p.c[3] * 6 * x) * h;
    if (!(next > low && next < high) || fn_fabs(next - x) < 1e-12) break;
    x = next;
  }
  return value[k];
}

template <Method method, class R, class M>
HALOCLINE_ODE void accumulate(const M& m, const Trial<R, M>& to, const R& t, const R& h, const MaskOf<R>& keep,
                              Working<R, M>& w) {
  R next[M::accumulator_capacity];
  for (int i = 0; i < m.accumulators; ++i) next[i] = w.a[i];
  const Point<R> x{t, to.y, to.f, to.d, w.s, w.a};
  m.accumulator_step(x, next);
  R top[M::extremum_capacity], slope[M::extremum_capacity];
  if (m.extrema > 0) m.extremum_values(x, top, slope);
  for (int k = 0; k < m.extrema; ++k) {
    const R sign(static_cast<double>(m.extremum_sign(k)));
    const MaskOf<R> turns = both(keep, both(sign * w.top_slope[k] > R(0.0), sign * slope[k] < R(0.0)));
    if (any(turns)) {
      R& best = next[m.extremum_accumulator(k)];
      for (int l = 0; l < Working<R, M>::lanes; ++l) {
        if (!lane(turns, l)) continue;
        const double e = refined<method>(m, w, to, l, k, lane(h, l), lane(top[k], l), lane(slope[k], l));
        if (lane(sign, l) * (e - lane(best, l)) > 0) set_lane(best, l, e);
      }
    }
    w.top[k] = select(keep, top[k], w.top[k]);
    w.top_slope[k] = select(keep, slope[k], w.top_slope[k]);
  }
  for (int i = 0; i < m.accumulators; ++i) w.a[i] = select(keep, next[i], w.a[i]);
}

// Whether a step may have brought an event, whose function has `sign` and `slope0` at its start: it reaches zero, or
// its extremum may. `direction` as of the event; `tolerance`: of the value.
template <class R>
HALOCLINE_ODE MaskOf<R> may_cross(const R& sign, const R& value0, const R& slope0, const R& value1, const R& slope1,
                                  const R& h, int direction, const R& tolerance) {
  const R zero(0.0), third = h * R(1.0 / 3);
  // A cubic lies within the hull of its four control points; find_crossing() asks for a smaller margin.
  const R margin = R(0.011) * (fn_fabs(value0) + fn_fabs(value1));
  const R lowest = least(sign * (value0 + third * slope0), sign * (value1 - third * slope1));
  const MaskOf<R> turns = both(sign * slope0 < zero, lowest <= margin);
  const MaskOf<R> reaches = either(sign * value1 < zero, both(sign * sign > zero, fn_fabs(value1) <= tolerance));
  const MaskOf<R> hits = either(reaches, turns);
  return direction == 0 ? hits : both(hits, sign * R(static_cast<double>(direction)) < zero);
}

// With noise: a path crosses within a step as often as it likes, so that an event happens at the end of the step over
// which its function has changed sign. Adds to what fires, for trials that are kept.
template <class R, class M>
HALOCLINE_ODE MaskOf<R> meet_crossings(const M& m, const Trial<R, M>& to, const R& t, const MaskOf<R>& keep,
                                       Working<R, M>& w) {
  R value[M::event_capacity], slope[M::event_capacity];
  m.event_values(Point<R>{t, to.y, to.f, to.d, w.s, w.a}, value, slope);
  const R zero(0.0);
  MaskOf<R> fires = zero > zero;
  for (int e = 0; e < m.events; ++e) {
    const R sign = fn_sign(value[e]), direction(static_cast<double>(m.direction(e)));
    const MaskOf<R> counts = either(w.sign[e] * direction < zero, direction * direction <= zero);
    const MaskOf<R> crosses = both(w.sign[e] * w.sign[e] > zero, sign * w.sign[e] <= zero);
    const MaskOf<R> happens = both(keep, both(counts, crosses));
    for (int l = 0; l < Working<R, M>::lanes && any(happens); ++l)
      if (lane(happens, l)) w.slow[l].fired |= 1u << e;
    fires = either(fires, happens);
    w.value[e] = select(keep, value[e], w.value[e]);
    w.slope[e] = select(keep, slope[e], w.slope[e]);
    w.sign[e] = select(keep, sign, w.sign[e]);
  }
  return fires;
}

// Lanes that hold a rest and whose trial leaps over what its `until` does: held states bring no errors, so that steps
// grow, and a function of time may come up to zero and go back inside of one. It is looked at twice in there, where it
// must be the cubic of its ends, of which others look for crossings.
template <class R, class M>
HALOCLINE_ODE MaskOf<R> leaps_over_until(const M& m, const Ensemble& a, const Trial<R, M>& to, const R& h,
                                         const Working<R, M>& w) {
  const R zero(0.0), half(0.5);
  MaskOf<R> leaps = zero > zero, held = leaps;
  for (int r = 0; r < m.rests; ++r) held = either(held, w.held[r] > half);
  if (!any(held)) return leaps;
  R value[M::event_capacity], slope[M::event_capacity];
  m.event_values(Point<R>{w.t + h, to.y, to.f, to.d, w.s, w.a}, value, slope);
  HALOCLINE_ODE_ROLLED for (int n = 0; n < 2; ++n) {
    const R x(n == 0 ? 0.382 : 0.809);
    const R t = w.t + x * h;
    R y[M::state_capacity], d[M::time_capacity], inside[M::event_capacity], rises[M::event_capacity];
    m.at_time(t, w.s, d);
    const auto cubic = [&](const R& value0, const R& slope0, const R& value1, const R& slope1) {
      const R p = h * slope0, q = h * slope1, rise = value1 - value0;
      return value0 + x * (p + x * (R(3.0) * rise - R(2.0) * p - q + x * (p + q - R(2.0) * rise)));
    };
    HALOCLINE_ODE_EACH for (int i = 0; i < m.states; ++i) y[i] = cubic(w.y[i], w.f[i], to.y[i], to.f[i]);
    m.event_values(Point<R>{t, y, to.f, d, w.s, w.a}, inside, rises);
    for (int r = 0; r < m.rests; ++r) {
      const int e = m.events + r;
      const R error = fn_fabs(inside[e] - cubic(w.value[e], w.slope[e], value[e], slope[e]));
      const MaskOf<R> missed = both(inside[e] > zero, value[e] < zero);
      // Half of the margin within which find_crossing() looks at an extremum.
      const R margin = R(0.005) * (fn_fabs(w.value[e]) + fn_fabs(value[e]));
      const MaskOf<R> bent = error > margin + R(a.event_tolerance);
      leaps = either(leaps, both(w.held[r] > half, either(missed, bent)));
    }
  }
  return leaps;
}

// Takes trials that leap, of lanes where that matters, out of `keep`, to be made again with half the step.
template <class R, class M>
HALOCLINE_ODE void refuse_leaps(const M& m, const Ensemble& a, const Trial<R, M>& to, const R& h,
                                const MaskOf<R>& matters, const Working<R, M>& w, MaskOf<R>& keep, R& factor) {
  if (m.rests == 0) return;
  const MaskOf<R> halved = both(both(keep, matters), leaps_over_until(m, a, to, h, w));
  keep = both(keep, opposite(halved));
  factor = select(halved, R(0.5), factor);
}

// Looks for events in acceptable trials; takes retaken ones out of `keep`. Unless this is a `turn` for that, lanes that
// would have to look are taken out of `keep` and put into `waiting`: as if their trial had not been made.
template <Method method, class R, class M>
HALOCLINE_ODE MaskOf<R> meet_events(const M& m, const Ensemble& a, const Trial<R, M>& to, const R& t, const R& h,
                                    bool turn, MaskOf<R>& keep, MaskOf<R>& waiting, Working<R, M>& w) {
  R value[M::event_capacity], slope[M::event_capacity];
  m.event_values(Point<R>{t, to.y, to.f, to.d, w.s, w.a}, value, slope);
  const R zero(0.0), tolerance(a.event_tolerance);
  MaskOf<R> candidates = w.look > zero;
  for (int e = 0; e < m.events + m.rests; ++e) {
    const R sign = e < m.events ? w.sign[e] : w.sign[e] * w.held[e - m.events];
    candidates = either(candidates, may_cross(sign, w.value[e], w.slope[e], value[e], slope[e], h,
                                              e < m.events ? m.direction(e) : 1, tolerance));
  }
  candidates = both(candidates, keep);
  MaskOf<R> fires = zero > zero;
  if (!turn) {
    waiting = candidates;
    keep = both(keep, opposite(candidates));
  } else if (any(candidates)) {
    for (int l = 0; l < Working<R, M>::lanes; ++l) {
      if (!lane(candidates, l)) continue;
      const bool kept = inspect<method>(m, a, w, to, l, value, slope, lane(h, l));
      if (!kept) set_lane(keep, l, false), set_lane(w.retakes, l, lane(w.retakes, l) + 1);
      if (kept && w.slow[l].fired) set_lane(fires, l, true);
    }
  }
  for (int e = 0; e < m.events + m.rests; ++e) {
    R sign = sign_of(value[e], slope[e], tolerance, tolerance);
    // Where a rest has ended right-hand sides jump: against the slopes at both of its ends, the first step's error has
    // taken the function to that side.
    if (m.rests > 0) {
      const MaskOf<R> astray = both(w.slope[e] * value[e] < zero, slope[e] * value[e] < zero);
      sign = select(both(w.sign[e] * w.sign[e] <= zero, astray), zero, sign);
    }
    w.value[e] = select(keep, value[e], w.value[e]);
    w.slope[e] = select(keep, slope[e], w.slope[e]);
    w.sign[e] = select(keep, sign, w.sign[e]);
  }
  return fires;
}

template <Method method, class R, class M>
HALOCLINE_ODE MaskOf<R> meet(const M& m, const Ensemble& a, const Trial<R, M>& to, const R& t, const R& h, bool turn,
                             MaskOf<R>& keep, MaskOf<R>& waiting, Working<R, M>& w) {
  if constexpr (is_stochastic(method)) {
    return meet_crossings(m, to, t, keep, w);
  } else {
    return meet_events<method>(m, a, to, t, h, turn, keep, waiting, w);
  }
}

}  // namespace
}  // namespace halocline::ode_ensemble
