// Models written by hand: the test problems of the ODE ensemble paper (seed 002), also reached by decks through
// `model:`, and the yardstick of generated code.
#pragma once

#include "lib/problems/ode_ensemble/stepper/advance.hpp"

namespace halocline::ode_ensemble {
namespace {

// What models without events, rests and accumulators have in common.
struct PlainModel {
  static constexpr int time_capacity = 1, event_capacity = 1, accumulator_capacity = 1, extremum_capacity = 1;
  static constexpr int quadratures = 0, times = 0, events = 0, rests = 0, accumulators = 0, extrema = 0;
  static constexpr bool uses_time = false;
  template <class R>
  HALOCLINE_ODE void at_time(R, const R*, R*) const {}
  template <class R>
  HALOCLINE_ODE void event_values(const Point<R>&, R*, R*) const {}
  HALOCLINE_ODE int direction(int) const { return 0; }
  HALOCLINE_ODE bool ends_phase(int) const { return false; }
  HALOCLINE_ODE void action(int, const Point<double>&, double*) const {}
  HALOCLINE_ODE bool acts(int) const { return false; }
  HALOCLINE_ODE int rest_event(int) const { return -1; }
  HALOCLINE_ODE bool holds(int, int) const { return false; }
  HALOCLINE_ODE double rest_below(int) const { return 0; }
  HALOCLINE_ODE int rest_speed_state(int) const { return -1; }
  HALOCLINE_ODE void rest_speed(int, const Point<double>&, double*, double*) const {}
  HALOCLINE_ODE bool keeps(int) const { return false; }
  HALOCLINE_ODE bool keeps_quadrature(int) const { return false; }
  HALOCLINE_ODE void accumulator_start(const Point<double>&, double*) const {}
  template <class R>
  HALOCLINE_ODE void accumulator_step(const Point<R>&, R*) const {}
  HALOCLINE_ODE void accumulator_event(int, const Point<double>&, double*) const {}
  HALOCLINE_ODE int extremum_accumulator(int) const { return 0; }
  HALOCLINE_ODE int extremum_sign(int) const { return 1; }
  template <class R>
  HALOCLINE_ODE void extremum_values(const Point<R>&, R*, R*) const {}
};

// x' = x^2 - p.
struct Riccati : PlainModel {
  static constexpr int state_capacity = 1, parameter_capacity = 1, constant_capacity = 1;
  static constexpr int states = 1, parameters = 1, constants = 1;
  HALOCLINE_ODE void setup(const double* p, double* s) const { s[0] = p[0]; }
  template <class R>
  HALOCLINE_ODE void rhs(R, const R* y, const R*, const R* s, R* f) const {
    f[0] = y[0] * y[0] - s[0];
  }
};

// x1' = 10 (x2 - x1), x2' = p x1 - x2 - x1 x3, x3' = x1 x2 - 2.666 x3.
struct Lorenz : PlainModel {
  static constexpr int state_capacity = 3, parameter_capacity = 1, constant_capacity = 1;
  static constexpr int states = 3, parameters = 1, constants = 1;
  HALOCLINE_ODE void setup(const double* p, double* s) const { s[0] = p[0]; }
  template <class R>
  HALOCLINE_ODE void rhs(R, const R* y, const R*, const R* s, R* f) const {
    f[0] = R(10.0) * (y[1] - y[0]);
    f[1] = y[0] * (s[0] - y[2]) - y[1];
    f[2] = y[0] * y[1] - R(2.666) * y[2];
  }
};

// Keller-Miksis bubble with one driving frequency f1 (Hz); time in driving periods, y = (R/RE, its derivative). The
// accumulator is the largest y1 of a phase, refined.
struct KellerMiksis : PlainModel {
  static constexpr int state_capacity = 2, parameter_capacity = 1, constant_capacity = 7, time_capacity = 2;
  static constexpr int states = 2, parameters = 1, constants = 7, times = 2, accumulators = 1, extrema = 1;
  static constexpr bool uses_time = true;
  // s: C0, C1, C2, C3, C4, C5, C9, and C7 = C5 C9 2 pi by their definitions.
  HALOCLINE_ODE void setup(const double* p, double* s) const {
    constexpr double rho = 997.0639504998557, cL = 1497.251785455527, pv = 3166.775638952003, sigma = 0.071977583160056,
                     mu = 8.902125058209557e-4, Pinf = 1e5, gamma = 1.4, RE = 10.0e-6, PA1 = 1.5e5;
    const double k = 1 / (RE * p[0]), pg = Pinf - pv + 2 * sigma / RE;
    s[0] = pg * k * k / rho;
    s[1] = (1 - 3 * gamma) * pg * k / (rho * cL);
    s[2] = (Pinf - pv) * k * k / rho;
    s[3] = 2 * sigma * k * k / (rho * RE);
    s[4] = 4 * mu / (rho * RE * RE * p[0]);
    s[5] = PA1 * k * k / rho;
    s[6] = RE * p[0] / cL;
  }
  template <class R>
  HALOCLINE_ODE void at_time(R t, const R* s, R* d) const {
    d[0] = s[5] * fn_sin2pi(t);
    d[1] = R(6.283185307179586) * s[5] * s[6] * fn_cos2pi(t);
  }
  template <class R>
  HALOCLINE_ODE void rhs(R, const R* y, const R* d, const R* s, R* f) const {
    const R one = R(1.0), drag = s[6] * y[1], rise = one + drag, inverse = one / y[0];
    const R denominator = y[0] - y[0] * drag + s[4] * s[6];
    const R gas = (s[0] + s[1] * y[1]) * fn_pow(y[0], R(-4.2));
    const R wall = (s[3] + s[4] * y[1]) * inverse;
    const R inertia = R(1.5) * (one - R(1.0 / 3) * drag) * y[1] * y[1];
    f[0] = y[1];
    f[1] = (gas - wall - (s[2] + d[0]) * rise - inertia - y[0] * d[1]) / denominator;
  }
  HALOCLINE_ODE void accumulator_start(const Point<double>& x, double* a) const { a[0] = x.y[0]; }
  template <class R>
  HALOCLINE_ODE void accumulator_step(const Point<R>& x, R* next) const {
    next[0] = fn_max(x.a[0], x.y[0]);
  }
  template <class R>
  HALOCLINE_ODE void extremum_values(const Point<R>& x, R* value, R* slope) const {
    value[0] = x.y[0];
    slope[0] = x.f[0];
  }
};

// Pressure relief valve with impacts: y = position, velocity, pressure; parameter q. Event 0: impact on the seat; event
// 1: a local maximum, ends the phase. Accumulators: largest and smallest y1, impacts.
struct ReliefValve : PlainModel {
  static constexpr int state_capacity = 3, parameter_capacity = 1, constant_capacity = 1, event_capacity = 3;
  static constexpr int accumulator_capacity = 3;
  static constexpr int states = 3, parameters = 1, constants = 1, events = 2, rests = 1, accumulators = 3;
  static constexpr double delta = 10, restitution = 0.8;
  HALOCLINE_ODE void setup(const double* p, double* s) const { s[0] = p[0]; }
  template <class R>
  HALOCLINE_ODE void rhs(R, const R* y, const R*, const R* s, R* f) const {
    f[0] = y[1];
    f[1] = y[2] - (y[0] + R(delta)) - R(1.25) * y[1];
    f[2] = R(20.0) * (s[0] - y[0] * fn_sqrt(y[2]));
  }
  template <class R>
  HALOCLINE_ODE void event_values(const Point<R>& x, R* value, R* slope) const {
    value[0] = x.y[0], slope[0] = x.f[0];
    value[1] = x.y[1], slope[1] = x.f[1];
    value[2] = x.y[2] - R(delta), slope[2] = x.f[2];
  }
  HALOCLINE_ODE int direction(int) const { return -1; }
  HALOCLINE_ODE bool ends_phase(int e) const { return e == 1; }
  HALOCLINE_ODE bool acts(int e) const { return e == 0; }
  HALOCLINE_ODE void action(int, const Point<double>& x, double* next) const {
    next[0] = 0;
    next[1] = -restitution * x.y[1];
  }
  HALOCLINE_ODE int rest_event(int) const { return 0; }
  HALOCLINE_ODE bool holds(int, int i) const { return i < 2; }
  HALOCLINE_ODE double rest_below(int) const { return 1e-5; }
  HALOCLINE_ODE int rest_speed_state(int) const { return 1; }
  HALOCLINE_ODE void rest_speed(int, const Point<double>& x, double* speed, double* slope) const {
    *speed = x.y[1];
    *slope = x.f[1];
  }
  HALOCLINE_ODE void accumulator_start(const Point<double>& x, double* a) const {
    a[0] = a[1] = x.y[0];
    a[2] = 0;
  }
  template <class R>
  HALOCLINE_ODE void accumulator_step(const Point<R>& x, R* next) const {
    next[0] = fn_max(x.a[0], x.y[0]);
    next[1] = fn_min(x.a[1], x.y[0]);
  }
  HALOCLINE_ODE void accumulator_event(int e, const Point<double>& x, double* next) const {
    if (e == 0) next[2] = x.a[2] + 1;
  }
};

}  // namespace
}  // namespace halocline::ode_ensemble
