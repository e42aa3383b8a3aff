// The Runge-Kutta methods and controllers on the built-in models, against tables of tests/data (113-bit arithmetic), in
// lanes and in plain doubles.
#include <gtest/gtest.h>

#include <cmath>

#include "lib/problems/ode_ensemble/stepper/models.hpp"
#include "tests/unit/ode_ensemble/csv_table.hpp"
#include "tests/unit/ode_ensemble/ode_ensemble_run.hpp"

namespace halocline::ode_ensemble {
namespace {

// All systems of a model, with the same initial state, by one call.
template <Method method, class R, class M>
OdeArrays run(const std::vector<double>& swept, const std::vector<double>& start, const Ensemble& settings,
              double length, long long budget = 1LL << 40) {
  const M model;
  const auto n = static_cast<long long>(swept.size());
  std::vector<double> initial;
  for (const double value : start) initial.insert(initial.end(), swept.size(), value);
  OdeArrays arrays(n, state_rows(model), swept, initial, M::states);
  const Ensemble own = arrays.ensemble;
  arrays.ensemble = settings;
  arrays.ensemble.systems = arrays.ensemble.count = n;
  arrays.ensemble.budget = budget;
  arrays.ensemble.most_steps = own.most_steps;
  arrays.length = {length};
  for (;;) {
    advance<method, R>(model, arrays.view(), {0, n});
    bool done = true;
    for (long long i = 0; i < n; ++i) done = done && arrays.counter(Counter::course, i) == 2;
    if (done) return arrays;
  }
}

Ensemble with_tolerance(double tolerance, double first_step = 1e-2) {
  Ensemble e;
  for (int i = 0; i < most_states; ++i) e.rtol[i] = e.atol[i] = tolerance;
  e.step = first_step;
  return e;
}

Ensemble with_step(double step) {
  Ensemble e;
  e.step = step;
  return e;
}

template <class R>
class OdeStepper : public testing::Test {};
using Numbers = testing::Types<double, Lanes<1>, Lanes<2>>;
TYPED_TEST_SUITE(OdeStepper, Numbers);

TYPED_TEST(OdeStepper, RiccatiFollowsTheRecurrence) {
  std::map<double, double> errors;
  for (const CsvRow& row : csv_rows("riccati_rk4.csv")) {
    const double dt = number(row, "dt");
    const auto made = run<Method::rk4, TypeParam, Riccati>({number(row, "p")}, {-0.5}, with_step(dt), 10);
    EXPECT_NEAR(made.value(0, 0), number(row, "x"), 1e-14);
    EXPECT_EQ(made.counter(Counter::accepted, 0), static_cast<long long>(number(row, "steps")));
    errors[dt] = std::max(errors[dt], std::abs(made.value(0, 0) - number(row, "exact")));
  }
  const auto finest = errors.begin(), next = std::next(finest);
  EXPECT_NEAR(std::log2(next->second / finest->second), 4, 0.1);
}

// The Lorenz system with 8/3 in place of 2.666.
struct LorenzThirds : Lorenz {
  template <class R>
  HALOCLINE_ODE void rhs(R t, const R* y, const R* d, const R* s, R* f) const {
    Lorenz::rhs(t, y, d, s, f);
    f[2] = y[0] * y[1] - R(8.0 / 3) * y[2];
  }
};

TYPED_TEST(OdeStepper, LorenzFollowsTheRecurrence) {
  for (const CsvRow& row : csv_rows("lorenz_rk4.csv")) {
    if (row.at("variant") == "order") continue;
    const Ensemble step = with_step(number(row, "dt"));
    const double end = number(row, "t_end"), p = number(row, "p");
    const std::vector<double> start{10, 10, 10};
    const auto made = row.at("variant") == "C" ? run<Method::rk4, TypeParam, LorenzThirds>({p}, start, step, end)
                                               : run<Method::rk4, TypeParam, Lorenz>({p}, start, step, end);
    const double limit = p > 20 ? 5e-11 : 1e-11;
    EXPECT_NEAR(made.value(0, 0), number(row, "x1"), limit) << row.at("variant") << p;
    EXPECT_NEAR(made.value(1, 0), number(row, "x2"), limit);
    EXPECT_NEAR(made.value(2, 0), number(row, "x3"), limit);
  }
}

TYPED_TEST(OdeStepper, LorenzConvergesWithOrderFour) {
  std::map<double, double> errors;
  for (const CsvRow& row : csv_rows("lorenz_rk4.csv")) {
    if (row.at("variant") != "order") continue;
    const double dt = number(row, "dt");
    const auto made =
        run<Method::rk4, TypeParam, Lorenz>({number(row, "p")}, {10, 10, 10}, with_step(dt), number(row, "t_end"));
    for (int i = 0; i < 3; ++i) {
      const double error = std::abs(made.value(i, 0) - number(row, "ode_x" + std::to_string(i + 1)));
      errors[dt] = std::max(errors[dt], error);
    }
  }
  ASSERT_GE(errors.size(), 3u);
  const auto finest = errors.begin(), next = std::next(finest);
  const double slope = std::log(next->second / finest->second) / std::log(next->first / finest->first);
  EXPECT_GT(slope, 3.95);
  EXPECT_LT(slope, 4.05);
}

// Lorenz as generated code has it: the factor 10 of the first right-hand side is left to the steps.
struct FactoredLorenz : Lorenz {
  template <class R>
  HALOCLINE_ODE void rhs_shares(R t, const R* y, const R* d, const R* s, R* f) const {
    rhs(t, y, d, s, f);
    f[0] = y[1] - y[0];
  }
  HALOCLINE_ODE double factor(int i) const { return i == 0 ? 10 : 1; }
};

TYPED_TEST(OdeStepper, FractionsOfAStepAreTheSameMadeOrGiven) {
  const std::vector<double> p{0, 5, 11, 20.5}, start{10, 10, 10}, factors{10, 1, 1};
  const Ensemble made = with_step(0.013);
  Ensemble given = made;
  give_fractions(given, factors.data(), 3);
  const auto plain = run<Method::rk4, TypeParam, Lorenz>(p, start, made, 1);
  const auto a = run<Method::rk4, TypeParam, FactoredLorenz>(p, start, made, 1);
  const auto b = run<Method::rk4, TypeParam, FactoredLorenz>(p, start, given, 1);
  for (int i = 0; i < 3; ++i)
    for (long long system = 0; system < 4; ++system) {
      EXPECT_EQ(a.value(i, system), b.value(i, system));
      EXPECT_NEAR(a.value(i, system), plain.value(i, system), 1e-12);
    }
}

// Right-hand sides over two driving periods as one phase: the counts published for MPGOS.
TYPED_TEST(OdeStepper, BubbleTakesThePublishedNumberOfRightHandSides) {
  std::vector<double> f1, counts;
  for (const CsvRow& row : csv_rows("keller_miksis.csv")) {
    if (row.at("kind") != "nfe") continue;
    f1.push_back(1000 * number(row, "f1_kHz"));
    counts.push_back(number(row, "y1"));
  }
  ASSERT_EQ(counts, (std::vector<double>{26580, 6714, 1272}));
  const auto made = run<Method::rkck45, TypeParam, KellerMiksis>(f1, {1, 0}, with_tolerance(1e-10), 2);
  const std::vector<long long> slack{24, 12, 6};
  for (long long i = 0; i < 3; ++i) {
    const long long trials = made.counter(Counter::accepted, i) + made.counter(Counter::rejected, i);
    EXPECT_LE(std::llabs(6 * trials - static_cast<long long>(counts[static_cast<std::size_t>(i)])),
              slack[static_cast<std::size_t>(i)]);
  }
  for (const CsvRow& row : csv_rows("keller_miksis.csv"))
    for (long long i = 0; i < 3; ++i)
      if (row.at("kind") == "short" && number(row, "tau") == 2 &&
          1000 * number(row, "f1_kHz") == f1[static_cast<std::size_t>(i)]) {
        EXPECT_NEAR(made.value(0, i), number(row, "y1"), 2e-9);
      }
}

// Lanes take it in single precision.
TYPED_TEST(OdeStepper, PowersOfTheControllersAreGoodToSixDigits) {
  for (int i = -290; i <= 290; ++i)
    for (const double e : {0.2, 0.25, -0.1}) {
      const double x = std::pow(10.0, 0.1 * i);
      EXPECT_NEAR(lane(controller_power(TypeParam(x), TypeParam(e)), 0) / std::pow(x, e), 1, 2e-6) << x;
    }
  EXPECT_LT(lane(controller_power(TypeParam(0.0), TypeParam(0.2)), 0), 0.1);
  EXPECT_GT(lane(controller_power(TypeParam(1e300), TypeParam(0.2)), 0), 10);
}

// Largest errors of y1 and y2 at the ends of the first five periods, 19 frequencies.
template <Method method, class R>
std::array<double, 3> bubble_errors(double tolerance) {
  std::vector<double> f1;
  std::map<std::pair<double, int>, CsvRow> rows;
  for (const CsvRow& row : csv_rows("keller_miksis.csv")) {
    if (row.at("kind") != "short") continue;
    const double f = 1000 * number(row, "f1_kHz");
    if (f1.empty() || f1.back() != f) f1.push_back(f);
    rows[{f, static_cast<int>(number(row, "phase"))}] = row;
  }
  Ensemble e = with_tolerance(tolerance);
  e.restart_time = 1;
  e.record = 5;
  e.each_phase_records = 3;
  for (int r = 0; r < 3; ++r) e.each_phase_record[r].source = r;
  const auto made = run<method, R, KellerMiksis>(f1, {1, 0}, e, 1);
  std::array<double, 3> worst{};
  for (std::size_t i = 0; i < f1.size(); ++i)
    for (int phase = 0; phase < 5; ++phase) {
      const CsvRow& row = rows.at({f1[i], phase});
      const char* names[] = {"y1", "y2", "y1max"};
      for (std::size_t r = 0; r < 3; ++r) {
        const double value = made.each_phase[(r * 5 + static_cast<std::size_t>(phase)) * f1.size() + i];
        worst[r] = std::max(worst[r], std::abs(value - number(row, names[r])));
      }
    }
  return worst;
}

TYPED_TEST(OdeStepper, BubbleFollowsTheTaylorSeries) {
  const auto cash_karp = bubble_errors<Method::rkck45, TypeParam>(1e-10);
  EXPECT_LT(cash_karp[0], 5e-8);
  EXPECT_LT(cash_karp[1], 1e-7);
  EXPECT_LT(cash_karp[2], 5e-7);
  const auto coarse = bubble_errors<Method::rkck45, TypeParam>(1e-9);
  EXPECT_NEAR(coarse[0] / cash_karp[0], 10, 6);
  const auto dormand_prince = bubble_errors<Method::dopri5, TypeParam>(1e-10);
  EXPECT_LT(dormand_prince[0], 1e-8);
  EXPECT_LT(dormand_prince[2], 1e-7);  // its continuous extension refines better than the cubic
}

TYPED_TEST(OdeStepper, RmsControllerKeepsTheTolerance) {
  Ensemble e = with_tolerance(1e-10, 0.5);  // a first step that must be rejected
  e.controller = Controller::rms;
  e.restart_time = 1;
  e.record = 5;
  const auto made = run<Method::dopri5, TypeParam, KellerMiksis>({100e3}, {1, 0}, e, 1);
  EXPECT_GT(made.counter(Counter::rejected, 0), 20);
  for (const CsvRow& row : csv_rows("keller_miksis.csv"))
    if (row.at("kind") == "short" && number(row, "f1_kHz") == 100 && number(row, "phase") == 4) {
      EXPECT_NEAR(made.value(0, 0), number(row, "y1"), 2e-8);
    }
}

// The largest y1 of accepted steps alone.
struct SampledBubble : KellerMiksis {
  static constexpr int extrema = 0;
};

// After 1024 + 64 periods on the attracting orbit; frequencies where that takes little time.
TYPED_TEST(OdeStepper, BubbleReachesThePeriodicOrbit) {
  std::vector<CsvRow> rows;
  std::vector<double> f1;
  for (const CsvRow& row : csv_rows("keller_miksis.csv")) {
    if (row.at("kind") != "period1" || number(row, "f1_kHz") < 450) continue;
    rows.push_back(row);
    f1.push_back(1000 * number(row, "f1_kHz"));
  }
  Ensemble e = with_tolerance(1e-10);
  e.restart_time = 1;
  e.transient = 1024;
  e.record = 64;
  e.all_phases_records = 1;
  e.all_phases_record[0] = {2, 0, 0, static_cast<int>(Reduction::maximum)};
  const auto made = run<Method::rkck45, TypeParam, KellerMiksis>(f1, {1, 0}, e, 1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_NEAR(made.value(0, static_cast<long long>(i)), number(rows[i], "y1"), 5e-9) << f1[i];
    EXPECT_NEAR(made.all_phases[i], number(rows[i], "y1max"), 5e-7) << f1[i];
  }
  const auto sampled = run<Method::rkck45, TypeParam, SampledBubble>(f1, {1, 0}, e, 1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_GT(sampled.all_phases[i] - number(rows[i], "y1max"), -1e-3) << f1[i];
    EXPECT_LT(sampled.all_phases[i] - number(rows[i], "y1max"), 5e-8) << f1[i];
    EXPECT_LT(sampled.all_phases[i], made.all_phases[i]) << f1[i];
  }
}

// x' = cos(2 pi t) + p, with fixed steps.
struct Driven : PlainModel {
  static constexpr int state_capacity = 1, parameter_capacity = 1, constant_capacity = 1, time_capacity = 1;
  static constexpr int states = 1, parameters = 1, constants = 1, times = 1;
  static constexpr bool uses_time = true;
  HALOCLINE_ODE void setup(const double* p, double* s) const { s[0] = p[0]; }
  template <class R>
  HALOCLINE_ODE void at_time(R t, const R*, R* d) const {
    d[0] = fn_cos2pi(t);
  }
  template <class R>
  HALOCLINE_ODE void rhs(R, const R*, const R* d, const R* s, R* f) const {
    f[0] = d[0] + s[0];
  }
};

TYPED_TEST(OdeStepper, FixedStepsMayBeCutAnywhere) {
  Ensemble e = with_step(0.1);
  e.record = 2;
  const auto whole = run<Method::rk4, TypeParam, Driven>({0.25}, {1}, e, 10.33);
  EXPECT_NEAR(whole.value(0, 0), 1 + 0.25 * 20.66 + std::sin(2 * std::acos(-1.0) * 20.66) / (2 * std::acos(-1.0)),
              1e-4);
  for (const long long budget : {1, 3, 7, 50}) {
    const auto cut = run<Method::rk4, TypeParam, Driven>({0.25}, {1}, e, 10.33, budget);
    EXPECT_EQ(cut.value(0, 0), whole.value(0, 0)) << budget;
    EXPECT_EQ(cut.counter(Counter::accepted, 0), whole.counter(Counter::accepted, 0)) << budget;
  }
}

// The bits do not depend on the lanes' number, on neighbors, nor on where visits end.
TYPED_TEST(OdeStepper, ResultsDoNotDependOnNeighborsNorOnVisits) {
  Ensemble e = with_tolerance(1e-8);
  e.record = 3;
  std::vector<double> f1;
  for (int i = 0; i < 37; ++i) f1.push_back(300e3 + 7e3 * i);
  const auto all = run<Method::rkck45, TypeParam, KellerMiksis>(f1, {1, 0}, e, 1);
  const auto visits = run<Method::rkck45, TypeParam, KellerMiksis>(f1, {1, 0}, e, 1, 17);
  for (long long i = 0; i < 37; ++i) {
    const auto alone = run<Method::rkck45, TypeParam, KellerMiksis>({f1[static_cast<std::size_t>(i)]}, {1, 0}, e, 1);
    for (int row = 0; row < 3; ++row) {
      EXPECT_EQ(all.value(row, i), alone.value(row, 0));
      EXPECT_EQ(all.value(row, i), visits.value(row, i));
    }
    EXPECT_EQ(all.counter(Counter::accepted, i), visits.counter(Counter::accepted, i));
  }
  std::vector<double> p;
  for (int i = 0; i < 37; ++i) p.push_back(0.5 * i);
  const auto fixed = run<Method::rk4, TypeParam, Lorenz>(p, {10, 10, 10}, with_step(0.01), 3.005);
  const auto cut = run<Method::rk4, TypeParam, Lorenz>(p, {10, 10, 10}, with_step(0.01), 3.005, 7);
  for (long long i = 0; i < 37; ++i)
    for (int row = 0; row < 3; ++row) EXPECT_EQ(fixed.value(row, i), cut.value(row, i));
}

}  // namespace
}  // namespace halocline::ode_ensemble
