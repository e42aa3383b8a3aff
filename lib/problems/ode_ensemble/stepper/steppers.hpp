// Trial steps of the Runge-Kutta methods, and the step-size controllers of all methods.
//
// rk4: the classic method. rkck45: Cash, Karp, ACM TOMS 16 (1990). dopri5: Dormand, Prince, J. Comput. Appl. Math. 6
// (1980). A trial starts from the derivative at its start and gives the one at its end, so that events see both ends.
#pragma once

#include "lib/problems/ode_ensemble/stepper/events.hpp"

namespace halocline::ode_ensemble {
namespace {

// Which tolerance a row has.
template <class M>
constexpr bool shares_tolerances = requires {
  &M::tolerance;
};
template <class M>
HALOCLINE_ODE int tolerance_of(const M& m, int i) {
  if constexpr (shares_tolerances<M>) return m.tolerance(i);
  return i;
}

// The start of a trial.
template <class R, class M>
struct Start {
  R t, h;
  const R* y;             // states, quadratures
  const R* f;             // their derivatives
  const R* s;             // constants of the system
  const R* held;          // per rest: 1 while its states are frozen
  const R* dw = nullptr;  // increments of Wiener processes, for methods with noise
};

// A trial step: its end, and what was met on the way.
template <class R, class M>
struct Trial {
  R y[M::state_capacity], f[M::state_capacity];
  R e[M::state_capacity];  // error estimates
  R d[M::time_capacity];   // values of time at the end
  R k[5][M::state_capacity];
};

// The derivative, zero where a rest holds a state.
template <class R, class M>
HALOCLINE_ODE void derivative(const M& m, R t, const R* y, const R* d, const R* s, const R* held, R* f) {
  m.rhs(t, y, d, s, f);
  for (int r = 0; r < m.rests; ++r)
    HALOCLINE_ODE_EACH for (int i = 0; i < m.states; ++i) if (m.holds(r, i)) f[i] =
        select(held[r] > R(0.5), R(0.0), f[i]);
}

template <class R, class M>
HALOCLINE_ODE void stage(const M& m, const Start<R, M>& from, double c, const R* z, R* k) {
  const R t = from.t + R(c) * from.h;
  R d[M::time_capacity];
  m.at_time(t, from.s, d);
  derivative(m, t, z, d, from.s, from.held, k);
}

// The last stages lie at the end of the step: their time values are made once, in to.d.
template <class R, class M>
HALOCLINE_ODE void end_stage(const M& m, const Start<R, M>& from, const Trial<R, M>& to, const R* z, R* k) {
  derivative(m, from.t + from.h, z, to.d, from.s, from.held, k);
}

// z = y + h (a[0] k0 + a[1] k1 + ...), leaving out zeros; k0 is the derivative at the start.
template <int count, class R, class M>
HALOCLINE_ODE void combine(const M& m, const Start<R, M>& from, const Trial<R, M>& to, const double (&a)[count], R* z) {
  HALOCLINE_ODE_STATES for (int i = 0; i < m.states + m.quadratures; ++i) {
    R sum = R(a[0]) * from.f[i];
    HALOCLINE_ODE_UNROLL for (int j = 1; j < count; ++j) {
      if (a[j] != 0) sum = sum + R(a[j]) * to.k[j - 1][i];
    }
    z[i] = from.y[i] + from.h * sum;
  }
}

template <class R, class M>
HALOCLINE_ODE void try_rk4(const M& m, const Start<R, M>& from, Trial<R, M>& to) {
  const int n = m.states + m.quadratures;
  const R half = R(0.5) * from.h, sixth = from.h / R(6.0), middle = from.t + half;
  R z[M::state_capacity], d[M::time_capacity];
  m.at_time(middle, from.s, d);
  m.at_time(from.t + from.h, from.s, to.d);
  HALOCLINE_ODE_EACH for (int i = 0; i < n; ++i) z[i] = from.y[i] + half * from.f[i];
  derivative(m, middle, z, d, from.s, from.held, to.k[0]);
  HALOCLINE_ODE_EACH for (int i = 0; i < n; ++i) z[i] = from.y[i] + half * to.k[0][i];
  derivative(m, middle, z, d, from.s, from.held, to.k[1]);
  HALOCLINE_ODE_EACH for (int i = 0; i < n; ++i) z[i] = from.y[i] + from.h * to.k[1][i];
  end_stage(m, from, to, z, to.k[2]);
  HALOCLINE_ODE_EACH for (int i = 0; i < n; ++i) to.y[i] =
      from.y[i] + sixth * ((from.f[i] + to.k[2][i]) + R(2.0) * (to.k[0][i] + to.k[1][i]));
  end_stage(m, from, to, to.y, to.f);
  HALOCLINE_ODE_EACH for (int i = 0; i < n; ++i) to.e[i] = R(0.0);
}

template <class R, class M>
HALOCLINE_ODE void try_rkck45(const M& m, const Start<R, M>& from, Trial<R, M>& to) {
  R z[M::state_capacity];
  m.at_time(from.t + from.h, from.s, to.d);
  combine(m, from, to, {1.0 / 5}, z);
  stage(m, from, 1.0 / 5, z, to.k[0]);
  combine(m, from, to, {3.0 / 40, 9.0 / 40}, z);
  stage(m, from, 3.0 / 10, z, to.k[1]);
  combine(m, from, to, {3.0 / 10, -9.0 / 10, 6.0 / 5}, z);
  stage(m, from, 3.0 / 5, z, to.k[2]);
  combine(m, from, to, {-11.0 / 54, 5.0 / 2, -70.0 / 27, 35.0 / 27}, z);
  end_stage(m, from, to, z, to.k[3]);
  combine(m, from, to, {1631.0 / 55296, 175.0 / 512, 575.0 / 13824, 44275.0 / 110592, 253.0 / 4096}, z);
  stage(m, from, 7.0 / 8, z, to.k[4]);
  combine(m, from, to, {37.0 / 378, 0, 250.0 / 621, 125.0 / 594, 0, 512.0 / 1771}, to.y);
  end_stage(m, from, to, to.y, to.f);
  HALOCLINE_ODE_STATES for (int i = 0; i < m.states + m.quadratures; ++i) {
    to.e[i] = from.h * (R(37.0 / 378 - 2825.0 / 27648) * from.f[i] + R(250.0 / 621 - 18575.0 / 48384) * to.k[1][i] +
                        R(125.0 / 594 - 13525.0 / 55296) * to.k[2][i] + R(-277.0 / 14336) * to.k[3][i] +
                        R(512.0 / 1771 - 1.0 / 4) * to.k[4][i]);
  }
}

template <class R, class M>
HALOCLINE_ODE void try_dopri5(const M& m, const Start<R, M>& from, Trial<R, M>& to) {
  R z[M::state_capacity];
  m.at_time(from.t + from.h, from.s, to.d);
  combine(m, from, to, {1.0 / 5}, z);
  stage(m, from, 1.0 / 5, z, to.k[0]);
  combine(m, from, to, {3.0 / 40, 9.0 / 40}, z);
  stage(m, from, 3.0 / 10, z, to.k[1]);
  combine(m, from, to, {44.0 / 45, -56.0 / 15, 32.0 / 9}, z);
  stage(m, from, 4.0 / 5, z, to.k[2]);
  combine(m, from, to, {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729}, z);
  stage(m, from, 8.0 / 9, z, to.k[3]);
  combine(m, from, to, {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656}, z);
  end_stage(m, from, to, z, to.k[4]);
  combine(m, from, to, {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}, to.y);
  end_stage(m, from, to, to.y, to.f);
  HALOCLINE_ODE_STATES for (int i = 0; i < m.states + m.quadratures; ++i) {
    to.e[i] = from.h * (R(71.0 / 57600) * from.f[i] + R(-71.0 / 16695) * to.k[1][i] + R(71.0 / 1920) * to.k[2][i] +
                        R(-17253.0 / 339200) * to.k[3][i] + R(22.0 / 525) * to.k[4][i] + R(-1.0 / 40) * to.f[i]);
  }
}

// State of one system at share x of a dopri5 step, by its continuous extension of order 4 (Hairer, Norsett, Wanner I,
// II.6). Arrays are those of one system.
template <class M>
HALOCLINE_ODE double dopri5_between(const Start<double, M>& from, const Trial<double, M>& to, int i, double x) {
  const double rise = to.y[i] - from.y[i], bend = from.h * from.f[i] - rise;
  const double last = rise - from.h * to.f[i] - bend;
  const double curve =
      from.h * (-12715105075.0 / 11282082432.0 * from.f[i] + 87487479700.0 / 32700410799.0 * to.k[1][i] -
                10690763975.0 / 1880347072.0 * to.k[2][i] + 701980252875.0 / 199316789632.0 * to.k[3][i] -
                1453857185.0 / 822651844.0 * to.k[4][i] + 69997945.0 / 29380423.0 * to.f[i]);
  return from.y[i] + x * (rise + (1 - x) * (bend + x * (last + (1 - x) * curve)));
}

// What a controller says about a trial.
template <class R>
struct Verdict {
  MaskOf<R> finite, accepted;
  R factor;  // of the step size
};

template <class R, class M>
HALOCLINE_ODE MaskOf<R> finite_end(const M& m, const Trial<R, M>& to) {
  R sum(0.0);
  HALOCLINE_ODE_STATES for (int i = 0; i < m.states + m.quadratures; ++i) {
    sum = sum + (fn_fabs(to.y[i]) + fn_fabs(to.f[i]));
    if (i < m.states) sum = sum + fn_fabs(to.e[i]);
  }
  return is_finite(sum);
}

// Every error below its tolerance; the factor follows the worst ratio.
template <Method method, class R, class M>
HALOCLINE_ODE void judge_mixed(const M& m, const Ensemble& a, const R* y, const Trial<R, M>& to, Verdict<R>& v) {
  constexpr int order = error_order<method>;
  // No error is less than this, so that ratios stay finite. States of stiff systems may be very small.
  constexpr double floor = has_jacobian(method) ? 1e-30 : 1e-18;
  R worst(1e300);
  HALOCLINE_ODE_STATES for (int i = 0; i < m.states + m.quadratures; ++i) {
    const R error = fn_fabs(to.e[i]) + R(floor);
    const R size = largest(fn_fabs(y[i]), fn_fabs(to.y[i]));
    const R tolerance = largest(R(a.rtol[tolerance_of(m, i)]) * size, R(a.atol[tolerance_of(m, i)]));
    v.accepted = both(v.accepted, error < tolerance);
    worst = least(worst, controller_ratio(tolerance, error));
  }
  v.factor = R(0.9) * controller_power(worst, select(v.accepted, R(1.0 / order), R(1.0 / (order - 1))));
  v.factor = least(R(5.0), largest(R(0.1), v.factor));
}

// The root mean square of the ratios; `rejected` is 1 right after a rejection.
template <int order, class R, class M>
HALOCLINE_ODE void judge_rms(const M& m, const Ensemble& a, const R* y, const R& rejected, const Trial<R, M>& to,
                             Verdict<R>& v) {
  R sum(0.0);
  HALOCLINE_ODE_STATES for (int i = 0; i < m.states + m.quadratures; ++i) {
    const R size = largest(fn_fabs(y[i]), fn_fabs(to.y[i]));
    const R ratio = fn_divide(to.e[i], R(a.atol[tolerance_of(m, i)]) + R(a.rtol[tolerance_of(m, i)]) * size);
    sum = sum + ratio * ratio;
  }
  const R mean = sum * R(1.0 / (m.states + (a.free_quadratures ? 0 : m.quadratures)));
  v.accepted = both(v.accepted, mean <= R(1.0));
  v.factor = R(0.9) * controller_power(largest(mean, R(1e-30)), R(-0.5 / order));
  v.factor = least(select(rejected > R(0.5), R(1.0), R(10.0)), largest(R(0.2), v.factor));
}

template <Method method, class R, class M>
HALOCLINE_ODE Verdict<R> judge(const M& m, const Ensemble& a, const R* y, const R& rejected, const Trial<R, M>& to) {
  Verdict<R> v{finite_end(m, to), {}, R(1.0)};
  v.accepted = v.finite;
  if constexpr (!has_fixed_steps(method)) {
    if (a.controller == Controller::mixed) {
      judge_mixed<method>(m, a, y, to, v);
    } else {
      judge_rms<error_order<method>>(m, a, y, rejected, to, v);
    }
  }
  v.factor = select(v.finite, v.factor, R(0.1));
  return v;
}

}  // namespace
}  // namespace halocline::ode_ensemble
