// Output at given times: values inside the steps just accepted, on the continuous extension of the method, so that
// steps are what they are without output.
#pragma once

#include "lib/problems/ode_ensemble/stepper/extension.hpp"

namespace halocline::ode_ensemble {
namespace {

// For methods without an extension of their own: the polynomial of degree 5 through values and slopes at both ends and
// slopes at 1/3 and 2/3. These are f of the polynomial known so far, at first the cubic; each round gains an order, and
// two bring the error within a step to h^6.
template <class M>
struct Quintic {
  Cubic cubic[M::state_capacity];
  double p[M::state_capacity], q[M::state_capacity];  // of x^2 (1 - x)^2 (p + q x), added to the cubic

  template <class Step>
  HALOCLINE_ODE void find(const M& m, Step& inside) {
    const int n = m.states + m.quadratures;
    HALOCLINE_ODE_EACH for (int i = 0; i < n; ++i) {
      cubic[i] = hermite(inside.h, inside.from.y[i], inside.from.f[i], inside.end(i), inside.end_slope(i));
      p[i] = q[i] = 0;
    }
    double first[M::state_capacity];
    HALOCLINE_ODE_ROLLED for (int round = 0; round < 2; ++round) {
      HALOCLINE_ODE_ROLLED for (int half = 0; half < 2; ++half) {
        const double x = half == 0 ? 1.0 / 3 : 2.0 / 3;
        go(m, inside, x);
        derivative(m, inside.at.t, inside.at.y, inside.at.d, inside.at.s, inside.at.held, inside.at.f);
        HALOCLINE_ODE_EACH for (int i = 0; i < n; ++i) {
          const double lack = inside.h * inside.at.f[i] - cubic[i].slope(x);
          if (half == 0) {
            first[i] = lack;
          } else {
            q[i] = 20.25 * (first[i] + lack);
            p[i] = 6.75 * first[i] - q[i] * (2.0 / 3);
          }
        }
      }
    }
  }
  template <class Step>
  HALOCLINE_ODE void go(const M& m, Step& inside, double x) const {
    const double bump = x * x * (1 - x) * (1 - x);
    HALOCLINE_ODE_EACH for (int i = 0; i < m.states + m.quadratures; ++i) inside.at.y[i] =
        cubic[i](x) + bump * (p[i] + q[i] * x);
    inside.at.t = inside.from.t + x * inside.h;
    m.at_time(inside.at.t, inside.at.s, inside.at.d);
  }
};

// With noise nothing is known between the ends of a step: a straight line.
template <class M>
struct Chord {
  template <class Step>
  HALOCLINE_ODE void find(const M&, Step&) {}
  template <class Step>
  HALOCLINE_ODE void go(const M& m, Step& inside, double x) const {
    HALOCLINE_ODE_EACH for (int i = 0; i < m.states + m.quadratures; ++i) inside.at.y[i] =
        inside.from.y[i] + x * (inside.end(i) - inside.from.y[i]);
    inside.at.t = inside.from.t + x * inside.h;
    m.at_time(inside.at.t, inside.at.s, inside.at.d);
  }
};
template <Method method, class M>
struct Interpolant {
  using Type = Quintic<M>;
};
template <Method method, class M>
requires(is_stochastic(method)) struct Interpolant<method, M> {
  using Type = Chord<M>;
};

// The times of output up to `until`, in a step of size h of one system.
template <Method method, class R, class M>
HALOCLINE_ODE_RARE void output_inside(const M& m, const Ensemble& a, const Trial<R, M>& to, int l, double h,
                                      double until, Working<R, M>& w) {
  auto& slow = w.slow[l];
  Inside<method, M> inside(m, w, to, l, h);
  typename Interpolant<method, M>::Type line;
  if constexpr (extension_of(method) == 0) line.find(m, inside);
  const double before = lane(w.elapsed, l), start = lane(w.t_start, l), shift = a.restart_time ? before : 0;
  for (; slow.seen < a.time_count && a.times[slow.seen] <= until; ++slow.seen) {
    const double x = least(1.0, largest(0.0, fn_divide(a.times[slow.seen] - shift - inside.from.t, h)));
    if constexpr (extension_of(method) == 0) {
      line.go(m, inside, x);
    } else {
      inside.go(m, x);
    }
    if (x >= 1) HALOCLINE_ODE_EACH for (int i = 0; i < m.states + m.quadratures; ++i) inside.at.y[i] = inside.end(i);
    const double phase = inside.at.t - start;
    write_output(m, a, inside.at, slow.system, slow.seen, phase, before + phase);
  }
  set_lane(w.due, l, next_output(a, slow.seen));
}

// How much later than a step to time t ends times count as there: nothing, but where something happens at a time that
// is known to rounding. Ends of phases are sums of lengths, each of which rounds; events are found within the step.
template <class R, class M>
HALOCLINE_ODE double lateness(const Working<R, M>& w, int l, double t, double reached, double h) {
  const double start = lane(w.t_start, l), first = reached - lane(w.elapsed, l) - (t - start);
  const double rounding = 1.2e-16 * largest(fn_fabs(first), fn_fabs(reached)), end = lane(w.t_end, l);
  if (t < end) return 32 * rounding + 1e-12 * h;
  return least(static_cast<double>(w.slow[l].phase + 4) * rounding, 0.01 * (end - start));
}

// In steps to time t that are kept; `fires`: of these the ones that events end.
template <Method method, class R, class M>
HALOCLINE_ODE void output_in_steps(const M& m, const Ensemble& a, const Trial<R, M>& to, const R& t, const R& h,
                                   const MaskOf<R>& keep, const MaskOf<R>& fires, Working<R, M>& w) {
  const R reached = a.restart_time ? t + w.elapsed : t;
  const MaskOf<R> special = both(keep, either(t >= w.t_end, fires));
  const MaskOf<R> due = either(both(keep, w.due <= reached), special);
  if (!any(due)) return;
  for (int l = 0; l < Working<R, M>::lanes; ++l) {
    if (!lane(due, l)) continue;
    double until = lane(reached, l);
    if (lane(special, l)) until += lateness(w, l, lane(t, l), until, lane(h, l));
    if (lane(w.due, l) <= until) output_inside<method>(m, a, to, l, lane(h, l), until, w);
  }
}

}  // namespace
}  // namespace halocline::ode_ensemble
