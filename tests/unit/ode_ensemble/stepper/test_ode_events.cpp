// Events: located by retaking steps, on the relief valve (tables of tests/data) and on cases with known answers.
#include <gtest/gtest.h>

#include <cmath>

#include "lib/problems/ode_ensemble/stepper/models.hpp"
#include "tests/unit/ode_ensemble/csv_table.hpp"
#include "tests/unit/ode_ensemble/ode_ensemble_run.hpp"

namespace halocline::ode_ensemble {
namespace {

// An event as it happened.
struct Happening {
  int event = 0;
  double t = 0;
  std::vector<double> before;  // state before the assignments
};

// Accumulators that keep the last event: number of events, which, time, then the states before it.
template <class Base>
struct Watched : Base {
  static constexpr int accumulators = 3 + Base::states, accumulator_capacity = accumulators;
  HALOCLINE_ODE bool keeps(int) const { return true; }
  HALOCLINE_ODE void accumulator_start(const Point<double>&, double* a) const {
    for (int i = 0; i < accumulators; ++i) a[i] = 0;
  }
  template <class R>
  HALOCLINE_ODE void accumulator_step(const Point<R>&, R*) const {}
  HALOCLINE_ODE void accumulator_event(int e, const Point<double>& x, double* next) const {
    next[0] = x.a[0] + 1;
    next[1] = e;
    next[2] = x.t;
    for (int i = 0; i < Base::states; ++i) next[3 + i] = x.y[i];
  }
};

struct Watch {
  std::vector<Happening> events;
  OdeArrays arrays;
  double lowest = 1e300;  // of state 0 at accepted steps
};

// One system, step by step, so that every event is seen. Rests begin and end as events 100 and 101.
template <Method method, class Base>
Watch watch(double parameter, const std::vector<double>& start, Ensemble settings, double length) {
  using M = Watched<Base>;
  const M model;
  Watch run{{}, OdeArrays(1, state_rows(model), {parameter}, start, M::states)};
  settings.systems = settings.count = settings.budget = 1;
  settings.most_steps = 1LL << 40;
  run.arrays.ensemble = settings;
  run.arrays.length = {length};
  const int values = 2 * M::states, held_row = values + M::accumulators + 3 * (M::events + M::rests);
  double seen = 0, held = 0;
  while (run.arrays.counter(Counter::course, 0) != 2) {
    advance<method, Lanes<2>>(model, run.arrays.view(), {0, 1});
    run.lowest = std::min(run.lowest, run.arrays.value(0, 0));
    const double t = run.arrays.value(static_cast<int>(run.arrays.rows) - 5, 0);
    if (run.arrays.value(values, 0) != seen) {
      seen = run.arrays.value(values, 0);
      Happening one{static_cast<int>(run.arrays.value(values + 1, 0)), run.arrays.value(values + 2, 0), {}};
      for (int i = 0; i < M::states; ++i) one.before.push_back(run.arrays.value(values + 3 + i, 0));
      run.events.push_back(one);
    }
    if (M::rests > 0 && run.arrays.value(held_row, 0) != held) {
      held = run.arrays.value(held_row, 0);
      run.events.push_back({held > 0.5 ? 100 : 101, t, {}});
      for (int i = 0; i < M::states; ++i) run.events.back().before.push_back(run.arrays.value(i, 0));
    }
  }
  return run;
}

Ensemble settings(double tolerance = 1e-10) {
  Ensemble e;
  for (int i = 0; i < most_states; ++i) e.rtol[i] = e.atol[i] = tolerance;
  e.step = 1e-2;
  return e;
}

// The valve with a third event: a smooth local minimum.
struct ValveWithMinima : ReliefValve {
  static constexpr int events = 3, event_capacity = 4;
  template <class R>
  HALOCLINE_ODE void event_values(const Point<R>& x, R* value, R* slope) const {
    R v[3], s[3];
    ReliefValve::event_values(x, v, s);
    for (int e = 0; e < 2; ++e) value[e] = v[e], slope[e] = s[e];
    value[2] = v[1], slope[2] = s[1];
    value[3] = v[2], slope[3] = s[2];
  }
  HALOCLINE_ODE int direction(int e) const { return e == 2 ? 1 : -1; }
};

char letter(int event) {
  const std::map<int, char> letters{{0, 'I'}, {1, 'M'}, {2, 'm'}, {100, 'S'}, {101, 'R'}};
  return letters.at(event);
}

TEST(OdeEvents, ValveFollowsTheReferenceSequences) {
  std::map<double, std::vector<CsvRow>> by_q;
  for (const CsvRow& row : csv_rows("valve.csv"))
    if (row.at("kind") == "seq") by_q[number(row, "q")].push_back(row);
  ASSERT_EQ(by_q.size(), 15u);
  Ensemble e = settings();
  e.phase_by_event = 1;
  for (const auto& [q, rows] : by_q) {
    const bool rests = q < 0.25;
    e.record = rests ? 200 : 4;
    const Watch run = watch<Method::rkck45, ValveWithMinima>(q, {0.2, 0, 0}, e, 50);
    EXPECT_GE(run.lowest, -1e-11) << q;
    std::size_t at = 0;
    for (const CsvRow& row : rows) {
      const char kind = row.at("event")[0];
      // The number of bounces before a rest is not comparable: rests are looked up, the others follow in order.
      if (kind == 'S')
        while (at < run.events.size() && letter(run.events[at].event) != 'S') ++at;
      ASSERT_LT(at, run.events.size()) << q;
      const Happening& one = run.events[at++];
      EXPECT_EQ(letter(one.event), kind) << q << " " << row.at("index");
      const double t_limit = kind == 'S' ? 1e-4 : kind == 'R' ? 1e-8 : 2e-9;
      EXPECT_NEAR(one.t, number(row, "t"), rests && kind == 'M' && number(row, "index") > 100 ? 1e-6 : t_limit) << q;
      const bool late = number(row, "index") > 100;
      EXPECT_NEAR(one.before[0], number(row, "y1"), late ? 1e-7 : 5e-8);
      if (kind == 'S' || late) {
        if (kind == 'S') {
          EXPECT_NEAR(one.before[2], number(row, "y3"), 5e-4);
        }
        continue;
      }
      EXPECT_NEAR(one.before[1], number(row, "v"), 5e-8);
      EXPECT_NEAR(one.before[2], number(row, "y3"), 5e-8);
    }
  }
}

TEST(OdeEvents, ValveReachesItsEquilibrium) {
  for (const CsvRow& row : csv_rows("valve.csv")) {
    if (row.at("kind") != "equilibrium") continue;
    Ensemble e = settings();
    e.phase_by_event = 1;
    e.steady = 1e-9;
    e.transient = 1024;
    const double q = number(row, "q");
    const Watch run = watch<Method::rkck45, ReliefValve>(q, {0.2, 0, 0}, e, 50);
    EXPECT_NEAR(run.arrays.value(0, 0), number(row, "y1"), q < 8.7 ? 1e-7 : 1e-8) << q;
    if (q > 8.9) {  // at 8.8 the noise of the steps is about as large as the threshold
      EXPECT_TRUE(run.arrays.counter(Counter::status, 0) & Status::steady) << q;
      // The last maxima are as small as the errors of the steps: they are located all the same, in few trials.
      EXPECT_FALSE(run.arrays.counter(Counter::status, 0) & Status::event_loose) << q;
      EXPECT_LT(10 * run.arrays.counter(Counter::retaken, 0), run.arrays.counter(Counter::accepted, 0)) << q;
    }
  }
}

// y' = v, v' = -1 from height 1; bounces with half the speed: t_k = sqrt2 (3 - 2^(2-k)) for k = 1, 2, ...
struct Ball : PlainModel {
  static constexpr int state_capacity = 2, parameter_capacity = 1, constant_capacity = 1, event_capacity = 1;
  static constexpr int states = 2, parameters = 1, constants = 1, events = 1;
  HALOCLINE_ODE void setup(const double* p, double* s) const { s[0] = p[0]; }
  template <class R>
  HALOCLINE_ODE void rhs(R, const R* y, const R*, const R*, R* f) const {
    f[0] = y[1];
    f[1] = R(-1.0);
  }
  template <class R>
  HALOCLINE_ODE void event_values(const Point<R>& x, R* value, R* slope) const {
    value[0] = x.y[0];
    slope[0] = x.f[0];
  }
  HALOCLINE_ODE int direction(int) const { return -1; }
  HALOCLINE_ODE bool acts(int) const { return true; }
  HALOCLINE_ODE void action(int, const Point<double>& x, double* next) const {
    next[0] = 0;
    next[1] = -0.5 * x.y[1];
  }
};

template <Method method>
void check_ball() {
  Ensemble e = settings(1e-12);
  if (method == Method::rk4) e.step = 0.037;
  const Watch run = watch<method, Ball>(0, {1, 0}, e, 4.19);
  ASSERT_EQ(run.events.size(), 6u);
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_NEAR(run.events[k].t, std::sqrt(2.0) * (3 - std::pow(2.0, 1 - static_cast<double>(k))), 1e-10) << k;
    EXPECT_NEAR(run.events[k].before[1], -std::sqrt(2.0) * std::pow(0.5, static_cast<double>(k)), 1e-10) << k;
  }
  EXPECT_EQ(run.arrays.counter(Counter::status, 0), 0);
}

TEST(OdeEvents, BallBouncesWhenItShould) {
  check_ball<Method::rk4>();
  check_ball<Method::rkck45>();
  check_ball<Method::dopri5>();
}

// x' = -x and z' = cos t; the event function sin t - p crosses in both directions.
struct Sine : PlainModel {
  static constexpr int state_capacity = 2, parameter_capacity = 1, constant_capacity = 1, time_capacity = 2;
  static constexpr int states = 2, parameters = 1, constants = 1, times = 2, events = 1;
  static constexpr bool uses_time = true;
  HALOCLINE_ODE void setup(const double* p, double* s) const { s[0] = p[0]; }
  template <class R>
  HALOCLINE_ODE void at_time(R t, const R*, R* d) const {
    d[0] = fn_sin(t);
    d[1] = fn_cos(t);
  }
  template <class R>
  HALOCLINE_ODE void rhs(R, const R* y, const R* d, const R*, R* f) const {
    f[0] = -y[0];
    f[1] = d[1];
  }
  template <class R>
  HALOCLINE_ODE void event_values(const Point<R>& x, R* value, R* slope) const {
    value[0] = x.d[0] - x.s[0];
    slope[0] = x.d[1];
  }
};

TEST(OdeEvents, SmoothSystemsAndCrossingsInBothDirections) {
  const Watch run = watch<Method::dopri5, Sine>(0.5, {1, 0}, settings(1e-12), 7);
  ASSERT_EQ(run.events.size(), 3u);
  const double pi = std::acos(-1.0);
  const double times[] = {pi / 6, 5 * pi / 6, 2 * pi + pi / 6};
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(run.events[k].t, times[k], 1e-10);
    EXPECT_NEAR(run.events[k].before[0], std::exp(-times[k]), 1e-10);
    EXPECT_NEAR(run.events[k].before[1], 0.5, 1e-10);
  }
  EXPECT_NEAR(run.arrays.value(0, 0), std::exp(-7.0), 1e-10);
}

TEST(OdeEvents, GrazingCrossingsAreFound) {
  // sin t exceeds 1 - 1e-6 for 2.8e-3 around pi/2: far shorter than a step.
  Ensemble e = settings(1e-6);
  e.step = 0.3;
  const Watch run = watch<Method::rkck45, Sine>(1 - 1e-6, {1, 0}, e, 3);
  ASSERT_EQ(run.events.size(), 2u);
  EXPECT_NEAR(run.events[0].t, std::asin(1 - 1e-6), 1e-9);
  EXPECT_NEAR(run.events[1].t, std::acos(-1.0) - std::asin(1 - 1e-6), 1e-9);
  const Watch none = watch<Method::rkck45, Sine>(1 + 1e-6, {1, 0}, e, 3);
  EXPECT_EQ(none.events.size(), 0u);
}

// At late times rounding leaves a remainder at the end of a phase of equal steps: none of these becomes a step.
TEST(OdeEvents, EqualStepsStayEqualAtLateTimes) {
  const Sine model;
  for (const double start : {0.0, 1e6, 1e8}) {
    OdeArrays arrays(1, state_rows(model), {2}, {1, 0}, 2);  // sin t never reaches 2
    Ensemble e = settings();
    e.systems = e.count = 1;
    e.budget = e.most_steps = 1LL << 40;
    e.step = 0.01;
    e.record = 1000;
    arrays.ensemble = e;
    arrays.length = {0.1};
    arrays.state[static_cast<std::size_t>(arrays.rows - 5)] = start;
    advance<Method::rk4, double>(model, arrays.view(), {0, 1});
    EXPECT_EQ(arrays.counter(Counter::accepted, 0), 10000) << start;
  }
}

// Two events at the same time fire in order; an event that never makes progress ends the system.
struct Clock : PlainModel {
  static constexpr int state_capacity = 1, parameter_capacity = 1, constant_capacity = 1, event_capacity = 2;
  static constexpr int states = 1, parameters = 1, constants = 1, events = 2;
  HALOCLINE_ODE void setup(const double* p, double* s) const { s[0] = p[0]; }
  template <class R>
  HALOCLINE_ODE void rhs(R, const R*, const R*, const R*, R* f) const {
    f[0] = R(1.0);
  }
  template <class R>
  HALOCLINE_ODE void event_values(const Point<R>& x, R* value, R* slope) const {
    value[0] = R(2.0) * (x.y[0] - R(1.0)), slope[0] = R(2.0) * x.f[0];
    value[1] = x.y[0] - R(1.0), slope[1] = x.f[0];
  }
  HALOCLINE_ODE bool acts(int) const { return true; }
  HALOCLINE_ODE void action(int e, const Point<double>& x, double* next) const {
    next[0] = e == 0 ? x.y[0] + 10 : 2 * x.y[0];
  }
};

TEST(OdeEvents, TiesFireInTheOrderOfTheDeck) {
  const Watch run = watch<Method::rkck45, Clock>(0, {0}, settings(), 1.5);
  EXPECT_NEAR(run.arrays.value(0, 0), 22.5, 1e-9);  // (1 + 10) * 2, then half a unit of time
  EXPECT_EQ(run.arrays.value(2, 0), 2);
}

struct Stuck : Clock {
  static constexpr int events = 1;
  HALOCLINE_ODE void action(int, const Point<double>&, double* next) const { next[0] = 1 - 1e-9; }
};

TEST(OdeEvents, EndlessEventsEndTheSystem) {
  const Stuck model;
  OdeArrays arrays(1, state_rows(model), {0}, {0}, 1);
  Ensemble e = settings();
  e.systems = e.count = 1;
  e.budget = e.most_steps = 1LL << 40;
  arrays.ensemble = e;
  arrays.length = {3};
  advance<Method::rkck45, double>(model, arrays.view(), {0, 1});
  EXPECT_TRUE(arrays.counter(Counter::status, 0) & Status::too_many_events);
}

}  // namespace
}  // namespace halocline::ode_ensemble
