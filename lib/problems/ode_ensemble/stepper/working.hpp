// The systems that a thread is stepping: their values in lanes, and how these lie in the arrays of an Ensemble.
#pragma once

#include "lib/problems/ode_ensemble/stepper/stiffness.hpp"

namespace halocline::ode_ensemble {
namespace {

// Rows of Ensemble::state in this order: y, f, accumulators, event values, slopes, signs, held rests, extremum values
// and slopes, outputs at the end of the last recorded phase, then t, start of the phase, time before the phase, h,
// whether the last trial was rejected.
template <class M>
HALOCLINE_ODE long long state_rows(const M& m) {
  return 2 * (m.states + m.quadratures) + m.accumulators + 3 * (m.events + m.rests) + m.rests + 2 * m.extrema +
         outputs_of(m) + 5;
}
// The first row of outputs.
template <class M>
HALOCLINE_ODE long long output_row(const M& m) {
  return state_rows(m) - 5 - outputs_of(m);
}

template <class R, class M>
struct Working {
  static constexpr int lanes = Traits<R>::lanes;
  R y[M::state_capacity], f[M::state_capacity], a[M::accumulator_capacity], s[M::constant_capacity];
  R value[M::event_capacity], slope[M::event_capacity], sign[M::event_capacity], held[M::event_capacity];
  R top[M::extremum_capacity], top_slope[M::extremum_capacity];
  R t, t_start, elapsed, h, rejected;  // `rejected`: 1 right after a rejection
  R t_end;
  R accepts, rejects, retakes, trials;  // of this visit
  R left;                               // trials of this visit still allowed
  R most;                               // trials of this phase still allowed
  R due;                                // the next time of output
  R look;                               // step size of the next trial while an event is located, else 0
  StiffnessWatch<R> watch;              // of Method::automatic
  Wiener<R, M> wiener;                  // of methods with noise
  MaskOf<R> active;
  struct Slow {  // of one system
    long long system = 0, phase = 0, events = 0, status = 0, seen = 0;
    int target = -1, tries = 0;  // the event being located
    bool graze = false, last = false;
    unsigned fired = 0;               // bits of events that fire at the end of this step
    unsigned back = 0;                // of these, the ones whose function was zero at the start of the step as well
    double low = 0, high = 0;         // bracket of the step size
    double past = 0, past_value = 0;  // the trial before, and the function at its end
  } slow[Traits<R>::lanes];
};

// One system out of the lanes, with its values of time.
template <class M>
struct Single {
  double t, y[M::state_capacity], f[M::state_capacity], d[M::time_capacity], s[M::constant_capacity],
      a[M::accumulator_capacity], held[M::event_capacity];
  HALOCLINE_ODE Point<double> point() const { return {t, y, f, d, s, a}; }
};

template <class R, class M>
HALOCLINE_ODE void gather(const M& m, const Working<R, M>& w, int l, Single<M>& x) {
  x.t = lane(w.t, l);
  HALOCLINE_ODE_EACH for (int i = 0; i < m.states + m.quadratures; ++i) x.y[i] = lane(w.y[i], l),
                                                                        x.f[i] = lane(w.f[i], l);
  HALOCLINE_ODE_EACH for (int i = 0; i < m.constants; ++i) x.s[i] = lane(w.s[i], l);
  for (int i = 0; i < m.accumulators; ++i) x.a[i] = lane(w.a[i], l);
  for (int r = 0; r < m.rests; ++r) x.held[r] = lane(w.held[r], l);
  m.at_time(x.t, x.s, x.d);
}

template <class R, class M>
HALOCLINE_ODE void scatter(const M& m, const Single<M>& x, Working<R, M>& w, int l) {
  set_lane(w.t, l, x.t);
  HALOCLINE_ODE_EACH for (int i = 0; i < m.states + m.quadratures; ++i) set_lane(w.y[i], l, x.y[i]),
      set_lane(w.f[i], l, x.f[i]);
  for (int i = 0; i < m.accumulators; ++i) set_lane(w.a[i], l, x.a[i]);
  for (int r = 0; r < m.rests; ++r) set_lane(w.held[r], l, x.held[r]);
}

// --- Arrays --------------------------------------------------------------------------------------------------------

// Calls visit(lane array) for every row of Ensemble::state, in order.
template <class R, class M, class Visit>
HALOCLINE_ODE void each_row(const M& m, Working<R, M>& w, Visit& visit) {
  HALOCLINE_ODE_EACH for (int i = 0; i < m.states + m.quadratures; ++i) visit(w.y[i]);
  HALOCLINE_ODE_EACH for (int i = 0; i < m.states + m.quadratures; ++i) visit(w.f[i]);
  for (int i = 0; i < m.accumulators; ++i) visit(w.a[i]);
  for (int e = 0; e < m.events + m.rests; ++e) visit(w.value[e]), visit(w.slope[e]), visit(w.sign[e]);
  for (int r = 0; r < m.rests; ++r) visit(w.held[r]);
  for (int k = 0; k < m.extrema; ++k) visit(w.top[k]), visit(w.top_slope[k]);
  visit.pass(outputs_of(m));
  visit(w.t), visit(w.t_start), visit(w.elapsed), visit(w.h), visit(w.rejected);
}

struct Reader {
  const double* from;
  long long stride;
  int l;
  template <class R>
  HALOCLINE_ODE void operator()(R& x) {
    set_lane(x, l, *from);
    from += stride;
  }
  HALOCLINE_ODE void pass(int rows) { from += rows * stride; }
};
struct Writer {
  double* to;
  long long stride;
  int l;
  template <class R>
  HALOCLINE_ODE void operator()(R& x) {
    *to = lane(x, l);
    to += stride;
  }
  HALOCLINE_ODE void pass(int rows) { to += rows * stride; }
};

HALOCLINE_ODE long long& counter(const Ensemble& a, int row, long long system) {
  return a.counters[row * a.systems + system];
}

// What tells the paths of systems apart.
HALOCLINE_ODE unsigned long long path_number(const Ensemble& a, long long system) {
  if (a.path_parameter < 0) return static_cast<unsigned long long>(a.first + system * a.stride);
  return static_cast<unsigned long long>(a.parameters[a.path_parameter * a.systems + system]);
}

HALOCLINE_ODE double phase_length(const Ensemble& a, long long system) {
  return a.length[a.length_per_system ? system : 0];
}

HALOCLINE_ODE double first_step(const Ensemble& a, long long system) {
  if (a.first_share <= 0) return a.step;
  return least(a.max_step, largest(a.min_step, a.first_share * phase_length(a, system)));
}

// --- Output at given times -------------------------------------------------------------------------------------------

HALOCLINE_ODE double next_output(const Ensemble& a, long long seen) {
  return seen < a.time_count ? a.times[seen] : unlimited_step;
}

// The largest of the phase's times, which rounding goes with.
template <class R, class M>
HALOCLINE_ODE R farthest(const Working<R, M>& w) {
  return largest(fn_fabs(w.t_start), fn_fabs(w.t_end));
}

// Writes the values of one system at time number `number` of output; `phase`, `all`: time since the start of the phase,
// of the run.
template <class M>
HALOCLINE_ODE void write_output(const M& m, const Ensemble& a, const Single<M>& x, long long system, long long number,
                                double phase, double all) {
  double o[M::output_capacity];
  m.output_values(x.point(), o);
  const int values = m.states + m.quadratures, known = values + m.accumulators;
  for (int r = 0; r < a.time_records; ++r) {
    const Record& one = a.time_record[r];
    const double value = one.source < values  ? x.y[one.source]
                         : one.source < known ? x.a[one.source - values]
                                              : o[one.source - known];
    a.at_times[(r * a.time_count + number) * a.systems + system] = one.mean ? value / (one.whole ? all : phase) : value;
  }
}

// Of the times of output those before the start are left out, but for rounding of theirs.
template <class R, class M>
HALOCLINE_ODE_RARE void output_at_start(const M& m, const Ensemble& a, const Single<M>& x, Working<R, M>& w, int l) {
  auto& slow = w.slow[l];
  const double slack = 1e-15 * fn_fabs(x.t);
  for (slow.seen = 0; slow.seen < a.time_count && a.times[slow.seen] <= x.t + slack; ++slow.seen)
    if (a.times[slow.seen] >= x.t - slack) write_output(m, a, x, slow.system, slow.seen, 0, 0);
}

// --- Steps of all lanes ----------------------------------------------------------------------------------------------

// A trial of size h, with the next increments of Wiener processes where there is noise.
template <Method method, class R, class M>
HALOCLINE_ODE void try_lanes(const M& m, [[maybe_unused]] const Ensemble& a, const R& h, Working<R, M>& w,
                             Trial<R, M>& to) {
  if constexpr (is_stochastic(method)) {
    R dw[M::noise_capacity];
    w.wiener.increments(m, a, w.wiener.done + w.accepts, h, dw);
    try_step<method>(m, Start<R, M>{w.t, h, w.y, w.f, w.s, w.held, dw}, to);
  } else {
    try_step<method>(m, Start<R, M>{w.t, h, w.y, w.f, w.s, w.held}, to);
  }
}

// Where a step is lost in the rounding of the time it begins at; at time 0, a step too short to get anywhere.
template <class R, class M>
HALOCLINE_ODE R least_step_of(const Ensemble& a, const Working<R, M>& w) {
  const R share(a.min_share);
  return R(a.min_step) + share * largest(fn_fabs(w.t), share * farthest(w));
}

// Steps that change states by rounding alone. Those that fail all the same stand at a singularity, and shorter ones
// would do nothing, many times.
template <class R, class M>
HALOCLINE_ODE MaskOf<R> gets_nowhere(const M& m, const Working<R, M>& w, const R& h) {
  MaskOf<R> nowhere = h >= R(0.0);
  HALOCLINE_ODE_EACH for (int i = 0; i < m.states; ++i) nowhere =
      both(nowhere, fn_fabs(h * w.f[i]) <= R(time_spacing) * fn_fabs(w.y[i]));
  return nowhere;
}

// Lanes whose states have all but stopped, where phases end then.
template <class R, class M>
HALOCLINE_ODE MaskOf<R> resting(const M& m, const Ensemble& a, const Working<R, M>& w, const MaskOf<R>& keep) {
  const R zero(0.0), one(1.0);
  if (a.steady <= 0) return zero > zero;
  MaskOf<R> steady = keep;
  HALOCLINE_ODE_EACH for (int i = 0; i < m.states; ++i) steady =
      both(steady, fn_fabs(w.f[i]) < R(a.steady) * largest(one, fn_fabs(w.y[i])));
  return steady;
}

}  // namespace
}  // namespace halocline::ode_ensemble
