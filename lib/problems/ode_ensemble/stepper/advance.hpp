// The loop: one iteration is one trial step of all lanes, each with its own time, step size and phase. Acceptance,
// clipping and accumulators are masks; events and ends of phases are handled lane by lane; a lane whose system is done
// takes the next one. On a GPU there is one lane per thread and one system per lane.
#pragma once

#include "lib/problems/ode_ensemble/stepper/locate.hpp"
#include "lib/problems/ode_ensemble/stepper/queue.hpp"

namespace halocline::ode_ensemble {
namespace {

// --- One trial of all lanes ------------------------------------------------------------------------------------------

// The next step, with the rounding of the times that equal steps add up to.
template <Method method, class R, class M>
HALOCLINE_ODE R reach_of(const Ensemble& a, const Working<R, M>& w) {
  if constexpr (!has_fixed_steps(method)) return w.h;
  return w.h + R(2.3e-16 / a.step) * (w.t_end - w.t_start) * farthest(w);
}

// Lanes that have done the trials of a visit or a phase, or have turned out to be stiff.
template <Method method, class R, class M>
HALOCLINE_ODE MaskOf<R> leaving(const Working<R, M>& w, const MaskOf<R>& keep) {
  const R zero(0.0);
  const MaskOf<R> out = both(either(w.left <= zero, w.most <= zero), opposite(w.look > zero));
  if constexpr (method == Method::automatic) return either(out, both(keep, w.watch.stiff()));
  return out;
}

// Notes steps of the least size that missed their tolerances. Where that is the rounding of time nobody gets anywhere
// by such: they count many times.
template <class R, class M>
HALOCLINE_ODE void note_forced(const Ensemble& a, const MaskOf<R>& forced, Working<R, M>& w) {
  if (a.min_share > 0) w.most = w.most - select(forced, R(1e4), R(0.0));
  if (!any(forced)) return;
  for (int l = 0; l < Working<R, M>::lanes; ++l)
    if (lane(forced, l)) w.slow[l].status |= Status::minimum_step;
}

// One trial of every active lane. Returns the lanes that have something to be done one by one; `turn`: whether events
// are looked for; `dead`: not finite at the smallest step, `steady`: at rest.
template <Method method, class R, class M>
HALOCLINE_ODE MaskOf<R> step_lanes(const M& m, const Ensemble& a, bool turn, Working<R, M>& w, MaskOf<R>& dead,
                                   MaskOf<R>& steady) {
  const R zero(0.0), one(1.0);
  const MaskOf<R> looking = w.look > zero;
  const R room = w.t_end - w.t;
  // A step that almost reaches the end of the phase reaches it.
  const MaskOf<R> clipped = both(reach_of<method>(a, w) >= room * R(1 - 1e-9), opposite(looking));
  const R h = select(looking, w.look, select(clipped, room, w.h));
  Trial<R, M> to;
  try_lanes<method>(m, a, h, w, to);
  Verdict<R> v = judge<method, R, M>(m, a, w.y, w.rejected, to);
  const R least_step = least_step_of(a, w);
  const MaskOf<R> smallest = w.h <= R(1.01) * least_step;
  const MaskOf<R> forced = both(both(smallest, v.finite), opposite(either(v.accepted, looking)));
  MaskOf<R> keep = both(w.active, either(v.accepted, both(v.finite, either(looking, smallest))));
  if constexpr (!has_fixed_steps(method))
    refuse_leaps(m, a, to, h, both(opposite(looking), h > R(4.0) * least_step), w, keep, v.factor);
  const MaskOf<R> refused = both(w.active, opposite(keep));
  MaskOf<R> waiting = zero > zero;
  dead = both(refused, smallest);
  const MaskOf<R> lost = both(both(refused, opposite(v.finite)), h <= R(a.min_share) * farthest(w));
  if (any(lost)) dead = either(dead, both(lost, gets_nowhere(m, w, h)));
  if constexpr (has_fixed_steps(method)) dead = refused;
  const R t = select(clipped, w.t_end, w.t + h);
  MaskOf<R> fires = zero > zero;
  if (m.events > 0) fires = meet<method>(m, a, to, t, h, turn, keep, waiting, w);
  // The step size stays as it was where the trial was shortened, or is being retaken.
  const MaskOf<R> shortened = both(either(clipped, either(looking, w.look > zero)), opposite(refused));
  if constexpr (!has_fixed_steps(method)) {
    R next = select(refused, h, w.h) * v.factor;
    next = least(R(a.max_step), largest(least_step, next));
    w.h = select(either(shortened, either(waiting, opposite(w.active))), w.h, next);
    w.rejected = select(refused, one, select(keep, zero, w.rejected));
  }
  if (m.events > 0 && any(both(refused, looking))) {  // the way to an event led nowhere: from the start again, shorter
    for (int l = 0; l < Working<R, M>::lanes; ++l)
      if (lane(refused, l) && lane(looking, l)) stop_looking(w, l);
  }
  if constexpr (observes<M>) {
    if (a.time_records > 0) output_in_steps<method>(m, a, to, t, h, keep, fires, w);
  }
  if (m.accumulators > 0) accumulate<method>(m, to, t, h, keep, w);
  if constexpr (method == Method::automatic) w.watch.note(keep, beyond_stability(m, a, w.y, w.f, to));
  w.t = select(keep, t, w.t);
  HALOCLINE_ODE_EACH for (int i = 0; i < m.states + m.quadratures; ++i) {
    w.y[i] = select(keep, to.y[i], w.y[i]);
    w.f[i] = select(keep, to.f[i], w.f[i]);
  }
  w.accepts = w.accepts + select(keep, one, zero);
  w.rejects = w.rejects + select(refused, one, zero);
  const R tried = select(waiting, zero, one);
  w.left = w.left - tried;
  w.most = w.most - tried;
  steady = resting(m, a, w, keep);
  note_forced(a, both(forced, keep), w);
  const MaskOf<R> out = leaving<method>(w, keep);
  const MaskOf<R> ends = both(keep, w.t >= w.t_end);
  return both(w.active, either(either(either(fires, dead), either(steady, out)), ends));
}

// The rest of a step of one system: events, the end of a phase, failures, the end of the visit.
template <class R, class M>
HALOCLINE_ODE_RARE void finish_lane(const M& m, const Ensemble& a, Queue& queue, Working<R, M>& w, int l, bool dead,
                                    bool steady) {
  auto& slow = w.slow[l];
  bool ends = false, done = dead;
  if (dead) slow.status |= Status::not_finite;
  if (slow.fired != 0) ends = fire(m, a, w, l);
  if (!ends && lane(w.t, l) >= lane(w.t_end, l)) {
    if (a.phase_by_event) slow.status |= Status::phase_timeout;
    ends = true;
  }
  if (!ends && steady) {
    slow.status |= Status::steady;
    ends = true;
  }
  done = done || (slow.status & (Status::too_many_events | Status::accumulating)) != 0;
  if (!done && ends) {
    done = !end_phase(m, a, w, l);
  } else if (!done && lane(w.most, l) <= 0) {
    slow.status |= Status::too_many_steps;
    done = true;
  }
  if (done) {
    if (slow.target >= 0) stop_looking(w, l);
    leave(m, a, queue, w, l, Course::done);
  } else if (queue.kind == Kind::tame && lane(w.watch.stiff(), l) && slow.target < 0) {
    counter(a, Counter::stiff, slow.system) = 1;
    leave(m, a, queue, w, l, Course::running);
  } else if (lane(w.left, l) <= 0 && slow.target < 0) {
    leave(m, a, queue, w, l, Course::running);
  }
}

// --- Fixed steps in lockstep -----------------------------------------------------------------------------------------

// Without events and accumulators nothing happens between the steps of rk4, and equal phases keep all systems together.
template <class M>
HALOCLINE_ODE bool in_lockstep(const M& m, const Ensemble& a) {
  return m.events == 0 && m.accumulators == 0 && m.quadratures == 0 && !a.length_per_system && a.steady <= 0 &&
         a.time_records == 0 && !a.start_per_system;
}

// Generated models may give derivatives without their constant factors, which the fractions of the step take over.
template <class M>
constexpr bool factored = requires {
  &M::factor;
};

template <class R, class M>
HALOCLINE_ODE void shares(const M& m, R t, const R* y, const R* d, const R* s, R* k) {
  if constexpr (factored<M>) {
    m.rhs_shares(t, y, d, s, k);
  } else {
    m.rhs(t, y, d, s, k);
  }
}
template <class M>
HALOCLINE_ODE double factor_of(const M& m, int i) {
  if constexpr (factored<M>) return m.factor(i);
  return 1;
}

// A step of rk4 and what its stages multiply derivatives by: made once for many steps, or given.
template <class R, class M>
struct MadeStep {
  const M& m;
  double size;
  R whole_step, half_step, sixth_step;
  HALOCLINE_ODE MadeStep(const M& model, double step)
      : m(model), size(step), whole_step(step), half_step(0.5 * step), sixth_step(step / 6) {}
  HALOCLINE_ODE R whole(int i) const { return whole_step * R(factor_of(m, i)); }
  HALOCLINE_ODE R half(int i) const { return half_step * R(factor_of(m, i)); }
  HALOCLINE_ODE R sixth(int i) const { return sixth_step * R(factor_of(m, i)); }
};
struct GivenStep {
  const Ensemble::Fractions& fractions;
  double size;
  HALOCLINE_ODE double whole(int i) const { return fractions.whole[i]; }
  HALOCLINE_ODE double half(int i) const { return fractions.half[i]; }
  HALOCLINE_ODE double sixth(int i) const { return fractions.sixth[i]; }
};

// One step from `start` to `end`; d: values of time there, before and after.
template <class R, class M, class Step>
HALOCLINE_ODE void march_step(const M& m, double start, double end, const Step& step, const R* s, R* d, R* y) {
  R z[M::state_capacity], k1[M::state_capacity], k2[M::state_capacity], k3[M::state_capacity], k4[M::state_capacity];
  R middle[M::time_capacity];
  const R t(start), t_middle(start + 0.5 * step.size), t_end(end);
  shares(m, t, y, d, s, k1);
  m.at_time(t_middle, s, middle);
  m.at_time(t_end, s, d);
  HALOCLINE_ODE_EACH for (int i = 0; i < m.states; ++i) z[i] = y[i] + step.half(i) * k1[i];
  shares(m, t_middle, z, middle, s, k2);
  HALOCLINE_ODE_EACH for (int i = 0; i < m.states; ++i) z[i] = y[i] + step.half(i) * k2[i];
  shares(m, t_middle, z, middle, s, k3);
  HALOCLINE_ODE_EACH for (int i = 0; i < m.states; ++i) z[i] = y[i] + step.whole(i) * k3[i];
  shares(m, t_end, z, d, s, k4);
  HALOCLINE_ODE_EACH for (int i = 0; i < m.states; ++i) y[i] =
      y[i] + step.sixth(i) * ((k1[i] + k4[i]) + R(2.0) * (k2[i] + k3[i]));
}

// Steps number `first` to `last` - 1 of a phase of `total` ones of size `step`, of which the last has its own size.
template <class R, class M, class Step>
HALOCLINE_ODE void march(const M& m, double t_start, const Step& step, double last_step, long long first,
                         long long last, long long total, const R* s, R* y) {
  // Times do not depend on where a march began, so that it may be cut anywhere.
  const auto time = [t_start, &step](long long n) { return t_start + static_cast<double>(n) * step.size; };
  R d[M::time_capacity];
  m.at_time(R(time(first)), s, d);
  const MadeStep<R, M> shorter(m, last_step);
  const bool ends = last == total;
  for (long long n = first; n < last - (ends ? 1 : 0); ++n) march_step(m, time(n), time(n + 1), step, s, d, y);
  if (ends) march_step(m, time(total - 1), time(total - 1) + last_step, shorter, s, d, y);
}

// Takes systems with equal progress into the lanes; returns how many. Idle lanes repeat the first system.
template <class R, class M>
HALOCLINE_ODE_RARE int gather_equals(const M& m, const Ensemble& a, Queue& queue, Working<R, M>& w) {
  if constexpr (Working<R, M>::lanes == 1) {
    take(m, a, queue, w, 0);
    return lane(w.active, 0) ? 1 : 0;
  }
  int n = 0;
  while (n < Working<R, M>::lanes && queue.next < queue.end) {
    const Queue before = queue;
    take(m, a, queue, w, n);
    if (!lane(w.active, n)) break;
    if (n > 0 && (w.slow[n].phase != w.slow[0].phase || lane(w.most, n) != lane(w.most, 0))) {
      queue = before;
      break;
    }
    ++n;
  }
  for (int l = n; n > 0 && l < Working<R, M>::lanes; ++l) {
    load(m, a, w.slow[0].system, w, l);
    set_lane(w.active, l, false);
  }
  return n;
}

// Stores or goes on after a march; returns whether the lanes go on.
template <class R, class M>
HALOCLINE_ODE_RARE bool after_march(const M& m, const Ensemble& a, Working<R, M>& w, int n, bool phase_ends) {
  bool goes_on = false;
  for (int l = 0; l < Working<R, M>::lanes; ++l) {
    if (l >= n || !lane(w.active, l)) continue;
    auto& slow = w.slow[l];
    double sum = 0;
    HALOCLINE_ODE_EACH for (int i = 0; i < m.states; ++i) sum += fn_fabs(lane(w.y[i], l));
    bool done = false;
    if (!is_finite(sum)) slow.status |= Status::not_finite, done = true;
    if (!done && phase_ends) done = !end_phase(m, a, w, l);
    if (!done && lane(w.most, l) <= 0) slow.status |= Status::too_many_steps, done = true;
    const bool leaves = done || lane(w.left, l) <= 0;
    if (leaves) {
      store(m, a, w, l, done ? Course::done : Course::running);
      set_lane(w.active, l, false);
    }
    goes_on = goes_on || !leaves;
  }
  return goes_on;
}

// Number of steps of a phase; the last one may be shorter.
HALOCLINE_ODE long long steps_of(double length, double step) {
  const double ratio = length / step;
  long long n = static_cast<long long>(ratio);
  if (ratio - static_cast<double>(n) > 1e-9 * ratio) ++n;
  return n > 0 ? n : 1;
}

template <class R, class M>
HALOCLINE_ODE void advance_lockstep(const M& m, const Ensemble& a, Queue& queue, Working<R, M>& w) {
  const double length = phase_length(a, 0);
  const long long total = steps_of(length, a.step);
  double last_step = length - static_cast<double>(total - 1) * a.step;
  if (fn_fabs(last_step - a.step) <= 1e-9 * length) last_step = a.step;
  for (int n = gather_equals(m, a, queue, w); n > 0; n = gather_equals(m, a, queue, w)) {
    bool goes_on = true;
    while (goes_on) {
      const long long most = static_cast<long long>(lane(w.most, 0)), left = static_cast<long long>(lane(w.left, 0));
      const long long first = a.most_steps - most;
      long long last = first + left < total ? first + left : total;
      if (last > a.most_steps) last = a.most_steps;
      R y[M::state_capacity], s[M::constant_capacity];
      HALOCLINE_ODE_EACH for (int i = 0; i < m.states; ++i) y[i] = w.y[i];
      HALOCLINE_ODE_EACH for (int i = 0; i < m.constants; ++i) s[i] = w.s[i];
      const double t_start = lane(w.t_start, 0);
      if constexpr (Working<R, M>::lanes == 1) {
        if (a.fractions.given) {
          march(m, t_start, GivenStep{a.fractions, a.step}, last_step, first, last, total, s, y);
        } else {
          march(m, t_start, MadeStep<R, M>(m, a.step), last_step, first, last, total, s, y);
        }
      } else {
        march(m, t_start, MadeStep<R, M>(m, a.step), last_step, first, last, total, s, y);
      }
      HALOCLINE_ODE_EACH for (int i = 0; i < m.states; ++i) w.y[i] = y[i];
      const R did(static_cast<double>(last - first));
      w.accepts = w.accepts + did;
      w.left = w.left - did;
      w.most = w.most - did;
      w.t = R(last == total ? t_start + length : t_start + static_cast<double>(last) * a.step);
      goes_on = after_march(m, a, w, n, last == total);
    }
  }
}

// Whether events are looked for in this round of trials. Systems in lanes of their own threads, of which one that looks
// keeps a warp waiting, do it together, some rounds in a row: the way to an event takes two or three trials. Nothing
// but time depends on it.
template <int lanes>
HALOCLINE_ODE bool is_turn(unsigned round) {
  constexpr unsigned period = 32, turns = 4;
  return lanes > 1 || round % period >= period - turns;
}

// --- Entry -----------------------------------------------------------------------------------------------------------

// Idle lanes step along on what they hold, unseen.
template <Method method, class R, class M>
HALOCLINE_ODE void step_all(const M& m, const Ensemble& a, Queue queue) {
  constexpr int lanes = Working<R, M>::lanes;
  Working<R, M> w;
  if constexpr (method == Method::rk4) {
    if (in_lockstep(m, a)) return advance_lockstep(m, a, queue, w);
  }
  const long long first = queue.next;
  for (int l = 0; l < lanes; ++l) {
    take(m, a, queue, w, l);
    if (!lane(w.active, l) && first < queue.end) load(m, a, a.list ? a.list[first] : first, w, l);
  }
  for (unsigned round = 0; any(w.active); ++round) {
    MaskOf<R> dead, steady;
    const MaskOf<R> rare = step_lanes<method>(m, a, is_turn<lanes>(round), w, dead, steady);
    if (!any(rare)) continue;
    for (int l = 0; l < lanes; ++l)
      if (lane(rare, l)) finish_lane(m, a, queue, w, l, lane(dead, l), lane(steady, l));
  }
}
template <Method method, class R, class M>
HALOCLINE_ODE_RARE void step_apart(const M& m, const Ensemble& a, const Queue& queue) {
  step_all<method, R>(m, a, queue);
}

// Advances the systems at these positions of the list.
template <Method method, class R, class M>
HALOCLINE_ODE void advance(const M& m, const Ensemble& a, const Queue& queue) {
  if constexpr (method == Method::automatic) {
    step_apart<Method::automatic, R>(m, a, {queue.next, queue.end, Kind::tame});
    step_apart<Method::rodas5p, R>(m, a, {queue.next, queue.end, Kind::stiff});
  } else if constexpr (is_implicit(method)) {
    step_apart<method, R>(m, a, queue);
  } else {
    step_all<method, R>(m, a, queue);
  }
}

}  // namespace
}  // namespace halocline::ode_ensemble

namespace halocline::ode_ensemble {
namespace {

template <class M>
HALOCLINE_ODE M make_model([[maybe_unused]] const Ensemble& a) {
  if constexpr (requires { M{a.tables}; }) {
    return M{a.tables};
  } else {
    return M{};
  }
}

}  // namespace
}  // namespace halocline::ode_ensemble

// The entry point of a compiled model: advances all systems of the list. On the host in lanes, to be called for a list
// of a few hundred systems at a time by every thread; on a GPU as a kernel with one thread per system.
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define HALOCLINE_ENSEMBLE_ENTRY(Model, method, packs)                                       \
  extern "C" __global__ void halocline_ensemble(const halocline::ode_ensemble::Ensemble a) { \
    const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;       \
    if (i < a.count)                                                                         \
      halocline::ode_ensemble::advance<halocline::ode_ensemble::Method::method, double>(     \
          halocline::ode_ensemble::make_model<Model>(a), a, {i, i + 1});                     \
  }
#else
#define HALOCLINE_ENSEMBLE_ENTRY(Model, method, packs)                                                                \
  extern "C" __attribute__((visibility("default"))) void halocline_ensemble(                                          \
      const halocline::ode_ensemble::Ensemble* a) {                                                                   \
    halocline::ode_ensemble::advance<halocline::ode_ensemble::Method::method, halocline::ode_ensemble::Lanes<packs>>( \
        halocline::ode_ensemble::make_model<Model>(*a), *a, {0, a->count});                                           \
  }                                                                                                                   \
  extern "C" __attribute__((visibility("default"))) long long halocline_ensemble_rows() {                             \
    return halocline::ode_ensemble::state_rows(Model{});                                                              \
  }
#endif
