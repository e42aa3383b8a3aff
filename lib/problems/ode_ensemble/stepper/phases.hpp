// How systems come from the arrays of an Ensemble into lanes and go back, and what happens to one system at events and
// at ends of phases.
#pragma once

#include "lib/problems/ode_ensemble/stepper/working.hpp"

namespace halocline::ode_ensemble {
namespace {

// Signs and values of events, and values of extrema, from the state of one system. `band`: below which value the slope
// gives the sign of an event that has just fired (bits of `fired`).
template <class R, class M>
HALOCLINE_ODE void arm(const M& m, const Ensemble& a, const Single<M>& x, unsigned fired, Working<R, M>& w, int l) {
  double value[M::event_capacity], slope[M::event_capacity];
  if (m.events > 0) m.event_values(x.point(), value, slope);
  for (int e = 0; e < m.events + m.rests; ++e) {
    // Where an event fired and acted although its function could not be made as small as wished, its slope decides.
    const double reach = fn_fabs(value[e]) * 1.01;
    const bool acted = (fired >> e & 1u) != 0 && (e >= m.events || m.acts(e));
    const bool loose = acted && reach < 1e3 * a.event_tolerance;
    const double band = loose && reach > a.event_tolerance ? reach : a.event_tolerance;
    set_lane(w.value[e], l, value[e]);
    set_lane(w.slope[e], l, slope[e]);
    set_lane(w.sign[e], l, sign_of(value[e], slope[e], band, a.event_tolerance));
  }
  double top[M::extremum_capacity], top_slope[M::extremum_capacity];
  if (m.extrema > 0) m.extremum_values(x.point(), top, top_slope);
  for (int k = 0; k < m.extrema; ++k) set_lane(w.top[k], l, top[k]), set_lane(w.top_slope[k], l, top_slope[k]);
}

// Starts accumulators anew at the start of a phase; `all`: also those that are kept.
template <class M>
HALOCLINE_ODE void reset(const M& m, Single<M>& x, bool all) {
  for (int q = 0; q < m.quadratures; ++q)
    if (all || !m.keeps_quadrature(q)) x.y[m.states + q] = 0;
  double start[M::accumulator_capacity];
  if (m.accumulators > 0) m.accumulator_start(x.point(), start);
  for (int i = 0; i < m.accumulators; ++i)
    if (all || !m.keeps(i)) x.a[i] = start[i];
}

template <class R, class M>
HALOCLINE_ODE void begin_system(const M& m, const Ensemble& a, Working<R, M>& w, int l) {
  set_lane(w.t_start, l, lane(w.t, l));
  set_lane(w.elapsed, l, 0);
  set_lane(w.h, l, first_step(a, w.slow[l].system));
  set_lane(w.rejected, l, 0);
  for (int r = 0; r < m.rests; ++r) set_lane(w.held[r], l, 0);
  Single<M> x;
  gather(m, w, l, x);
  derivative(m, x.t, x.y, x.d, x.s, x.held, x.f);
  reset(m, x, true);
  scatter(m, x, w, l);
  arm(m, a, x, 0, w, l);
  if constexpr (observes<M>) output_at_start(m, a, x, w, l);
}

// Starts the phase after the one that has ended.
template <class R, class M>
HALOCLINE_ODE_RARE void next_phase(const M& m, const Ensemble& a, Working<R, M>& w, int l) {
  const long long system = w.slow[l].system;
  set_lane(w.elapsed, l, lane(w.elapsed, l) + (lane(w.t, l) - lane(w.t_start, l)));
  if (a.restart_time) set_lane(w.t, l, lane(w.t_start, l));
  if (a.restart_step) set_lane(w.h, l, first_step(a, system));
  set_lane(w.t_start, l, lane(w.t, l));
  set_lane(w.t_end, l, lane(w.t, l) + phase_length(a, system));
  Single<M> x;
  gather(m, w, l, x);
  const bool moved = a.restart_time && m.uses_time;
  if (moved) derivative(m, x.t, x.y, x.d, x.s, x.held, x.f);
  reset(m, x, false);
  scatter(m, x, w, l);
  if (moved) arm(m, a, x, 0, w, l);
}

// Where value `source` lies in the rows of state: y, f, accumulators; outputs further below.
template <class M>
HALOCLINE_ODE long long row_of(const M& m, int source) {
  const int values = m.states + m.quadratures;
  if (observes<M> && source >= values + m.accumulators) return output_row(m) + source - values - m.accumulators;
  return source < values ? source : source + values;
}

template <class M>
HALOCLINE_ODE double value_of(const M& m, const Ensemble& a, const Record& r, long long system, double phase,
                              double all) {
  const long long row = row_of(m, r.source);
  const double value = a.state[row * a.systems + system];
  return r.mean ? value / (r.whole ? all : phase) : value;
}

// Writes the results of a recorded phase; the state lies in the arrays already.
template <class M>
HALOCLINE_ODE_RARE void record_phase(const M& m, const Ensemble& a, long long system, long long number, double phase,
                                     double all) {
  for (int r = 0; r < a.each_phase_records; ++r)
    a.each_phase[(r * a.record + number) * a.systems + system] =
        value_of(m, a, a.each_phase_record[r], system, phase, all);
  for (int r = 0; r < a.all_phases_records; ++r) {
    double& result = a.all_phases[r * a.systems + system];
    const double value = value_of(m, a, a.all_phases_record[r], system, phase, all);
    const int kind = a.all_phases_record[r].reduction;
    if (number == 0 || kind == static_cast<int>(Reduction::last)) {
      result = value;
    } else if (kind == static_cast<int>(Reduction::maximum)) {
      result = largest(result, value);
    } else if (kind == static_cast<int>(Reduction::minimum)) {
      result = least(result, value);
    } else {
      result += value;  // mean: the sum, as phases may follow
    }
  }
}

// Copies a system from the lanes to the arrays. Counts of this visit are added.
template <class R, class M>
HALOCLINE_ODE_RARE void store(const M& m, const Ensemble& a, Working<R, M>& w, int l, Course course) {
  auto& slow = w.slow[l];
  Writer write{a.state + slow.system, a.systems, l};
  each_row(m, w, write);
  counter(a, Counter::accepted, slow.system) += static_cast<long long>(lane(w.accepts, l));
  counter(a, Counter::rejected, slow.system) += static_cast<long long>(lane(w.rejects, l));
  counter(a, Counter::retaken, slow.system) += static_cast<long long>(lane(w.retakes, l));
  counter(a, Counter::phase, slow.system) = slow.phase;
  counter(a, Counter::steps, slow.system) = a.most_steps - static_cast<long long>(lane(w.most, l));
  counter(a, Counter::events, slow.system) = slow.events;
  counter(a, Counter::status, slow.system) = slow.status;
  if constexpr (observes<M>) counter(a, Counter::seen, slow.system) = slow.seen;
  counter(a, Counter::course, slow.system) = static_cast<long long>(course);
}

// Copies a system from the arrays into a lane.
template <class R, class M>
HALOCLINE_ODE_RARE void load(const M& m, const Ensemble& a, long long system, Working<R, M>& w, int l) {
  auto& slow = w.slow[l];
  slow = {};
  slow.system = system;
  slow.phase = counter(a, Counter::phase, system);
  slow.events = counter(a, Counter::events, system);
  slow.status = counter(a, Counter::status, system);
  if constexpr (observes<M>) slow.seen = counter(a, Counter::seen, system);
  Reader read{a.state + system, a.systems, l};
  each_row(m, w, read);
  double p[M::parameter_capacity], s[M::constant_capacity];
  for (int i = 0; i < m.parameters; ++i) p[i] = a.parameters[i * a.systems + system];
  m.setup(p, s);
  HALOCLINE_ODE_EACH for (int i = 0; i < m.constants; ++i) set_lane(w.s[i], l, s[i]);
  set_lane(w.accepts, l, 0), set_lane(w.rejects, l, 0), set_lane(w.retakes, l, 0), set_lane(w.look, l, 0);
  set_lane(w.left, l, static_cast<double>(a.budget));
  set_lane(w.most, l, static_cast<double>(a.most_steps - counter(a, Counter::steps, system)));
  if (counter(a, Counter::course, system) == static_cast<long long>(Course::begin)) begin_system(m, a, w, l);
  if (counter(a, Counter::course, system) == static_cast<long long>(Course::again)) next_phase(m, a, w, l);
  set_lane(w.t_end, l, lane(w.t_start, l) + phase_length(a, system));
  if constexpr (observes<M>) set_lane(w.due, l, next_output(a, slow.seen));
  if constexpr (has_noise<M>) w.wiener.begin(l, path_number(a, system), counter(a, Counter::accepted, system));
}

// The end of a phase: records, and starts the next one. Returns false after the last phase.
template <class R, class M>
HALOCLINE_ODE_RARE bool end_phase(const M& m, const Ensemble& a, Working<R, M>& w, int l) {
  auto& slow = w.slow[l];
  const double in_phase = lane(w.t, l) - lane(w.t_start, l), all = lane(w.elapsed, l) + in_phase;
  if (slow.phase >= a.transient) {
    Writer write{a.state + slow.system, a.systems, l};
    each_row(m, w, write);
    if constexpr (observes<M>) {
      Single<M> x;
      gather(m, w, l, x);
      double o[M::output_capacity];
      m.output_values(x.point(), o);
      for (int i = 0; i < m.outputs; ++i) a.state[(output_row(m) + i) * a.systems + slow.system] = o[i];
    }
    record_phase(m, a, slow.system, slow.phase - a.transient, in_phase, all);
  }
  ++slow.phase;
  slow.events = 0;
  set_lane(w.most, l, static_cast<double>(a.most_steps));
  if (slow.phase == a.transient + a.record) return false;
  next_phase(m, a, w, l);
  return true;
}

// The rest that may begin after event e: where the speed is small, `until` is below zero and, unless the event is one
// of both directions, the speed decreases.
template <class M>
HALOCLINE_ODE bool begin_rest(const M& m, int e, Single<M>& x) {
  bool began = false;
  for (int r = 0; r < m.rests; ++r) {
    if (m.rest_event(r) != e || x.held[r] > 0.5) continue;
    double speed = 0, slope = 0, value[M::event_capacity], rise[M::event_capacity];
    m.rest_speed(r, x.point(), &speed, &slope);
    const double size = fn_fabs(speed);
    // Back: against the speed; without any, against the direction in which the event was left.
    const double away = speed != 0 ? speed : -static_cast<double>(m.direction(e));
    if (!(size < m.rest_below(r)) || !(slope * away < 0 || m.direction(e) == 0)) continue;
    m.event_values(x.point(), value, rise);
    if (!(value[m.events + r] < 0)) continue;
    x.held[r] = 1;
    if (m.rest_speed_state(r) >= 0) x.y[m.rest_speed_state(r)] = 0;
    began = true;
  }
  return began;
}

// Fires the events whose bits are set, in order, from the state at the end of the step. Returns whether one ends the
// phase.
template <class R, class M>
HALOCLINE_ODE_RARE bool fire(const M& m, const Ensemble& a, Working<R, M>& w, int l) {
  auto& slow = w.slow[l];
  Single<M> x;
  gather(m, w, l, x);
  bool ends = false;
  HALOCLINE_ODE_ROLLED for (int e = 0; e < m.events + m.rests; ++e) {
    if ((slow.fired >> e & 1u) == 0) continue;
    ++slow.events;
    double next[M::state_capacity + M::accumulator_capacity];
    if (e < m.events) {
      for (int i = 0; i < m.accumulators; ++i) next[i] = x.a[i];
      m.accumulator_event(e, x.point(), next);
      for (int i = 0; i < m.accumulators; ++i) x.a[i] = next[i];
      HALOCLINE_ODE_EACH for (int i = 0; i < m.states; ++i) next[i] = x.y[i];
      if (m.acts(e)) m.action(e, x.point(), next);
      HALOCLINE_ODE_EACH for (int i = 0; i < m.states; ++i) x.y[i] = next[i];
      ends = ends || m.ends_phase(e);
    } else {
      x.held[e - m.events] = 0;
    }
    if (e >= m.events || m.acts(e)) derivative(m, x.t, x.y, x.d, x.s, x.held, x.f);
    if (e < m.events && begin_rest(m, e, x)) {
      derivative(m, x.t, x.y, x.d, x.s, x.held, x.f);
      slow.back &= ~(1u << e);
    }
  }
  scatter(m, x, w, l);
  arm(m, a, x, slow.fired, w, l);
  // Back within a step, and now neither value nor slope differ from zero: the next times are too close to be told
  // apart.
  if (slow.back != 0)
    for (int e = 0; e < m.events; ++e)
      if ((slow.back >> e & 1u) != 0 && m.acts(e) && lane(w.sign[e], l) == 0) slow.status |= Status::accumulating;
  // A speed that was held at almost zero leaves zero when its rest ends, on whichever side: that is no event.
  for (int r = 0; r < m.rests; ++r)
    if ((slow.fired >> (m.events + r) & 1u) != 0) set_lane(w.sign[m.rest_event(r)], l, 0);
  slow.fired = slow.back = 0;
  if (slow.events > 1000000) slow.status |= Status::too_many_events;
  return ends;
}

}  // namespace
}  // namespace halocline::ode_ensemble
