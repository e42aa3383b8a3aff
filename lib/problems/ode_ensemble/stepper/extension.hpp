// One system inside a trial step, on the continuous extension of the method.
#pragma once

#include "lib/problems/ode_ensemble/stepper/working.hpp"

namespace halocline::ode_ensemble {
namespace {

template <Method method, class M>
struct Inside {
  double h;
  Single<M> from, at;  // the start, and where go() has led

  template <class R>
  HALOCLINE_ODE Inside(const M& m, const Working<R, M>& w, const Trial<R, M>& trial, int l, double size) : h(size) {
    gather(m, w, l, from);
    at = from;
    HALOCLINE_ODE_EACH for (int i = 0; i < m.states + m.quadratures; ++i) {
      to_.y[i] = lane(trial.y[i], l), to_.f[i] = lane(trial.f[i], l);
      for (int j = 0; j < extension_of(method); ++j) to_.k[j][i] = lane(trial.k[j][i], l);
    }
  }
  // To share x of the step.
  HALOCLINE_ODE void go(const M& m, double x) {
    const Start<double, M> start{from.t, h, from.y, from.f, from.s, from.held};
    HALOCLINE_ODE_EACH for (int i = 0; i < m.states + m.quadratures; ++i) at.y[i] = between<method>(start, to_, i, x);
    at.t = from.t + x * h;
    m.at_time(at.t, at.s, at.d);
    slope(m, start, x);
  }
  // The end of the step and its start.
  HALOCLINE_ODE double end(int i) const { return to_.y[i]; }
  HALOCLINE_ODE double end_slope(int i) const { return to_.f[i]; }

 private:
  HALOCLINE_ODE void slope(const M& m, const Start<double, M>& start, double x) {
    if constexpr (is_implicit(method)) {
      HALOCLINE_ODE_EACH for (int i = 0; i < m.states + m.quadratures; ++i) at.f[i] =
          rosenbrock_slope<method>(start, to_, i, x);
    } else {
      derivative(m, at.t, at.y, at.d, at.s, at.held, at.f);
    }
  }
  Trial<double, M> to_;
};

// The share of a trial step of size h at which event e reaches zero, near `guess`. Explicit methods look there at once;
// trials of Rosenbrock methods cost more, and a cubic knows little of a stiff system.
template <Method method, class R, class M>
HALOCLINE_ODE_RARE double located(const M& m, const Working<R, M>& w, const Trial<R, M>& to, int l, int e, double h,
                                  double guess) {
  if constexpr (!is_implicit(method)) return guess;
  Inside<method, M> inside(m, w, to, l, h);
  double value[M::event_capacity], slope[M::event_capacity];
  Search search{0, 1, guess};
  for (int i = 0; i < 12; ++i) {
    inside.go(m, search.x);
    m.event_values(inside.at.point(), value, slope);
    if (search.found(value[e], h * slope[e], lane(w.sign[e], l) * value[e] > 0)) break;
  }
  return search.x;
}

}  // namespace
}  // namespace halocline::ode_ensemble
