// Rosenbrock methods: factors of matrices in lanes, order conditions of the coefficients, observed orders.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <random>

#include "lib/problems/ode_ensemble/stepper/models.hpp"
#include "tests/unit/ode_ensemble/ode_ensemble_run.hpp"

namespace halocline::ode_ensemble {
namespace {

// --- Factors ---------------------------------------------------------------------------------------------------------

constexpr int most = 9;

// A solved system for every lane: matrices that need pivots, in some lanes only.
template <class R>
struct Solved {
  R a[most * most] = {}, b[most] = {};
  Solved(int n, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> number(-1, 1);
    for (int l = 0; l < Traits<R>::lanes; ++l) {
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) set_lane(a[i * n + j], l, number(random) + (l % 3 == 0 && i == j ? 10 : 0));
        set_lane(b[i], l, number(random));
      }
      if (l % 3 == 1) set_lane(a[0], l, 0);
    }
  }
};

template <class R>
class OdeRosenbrock : public testing::Test {};
using Numbers = testing::Types<double, Lanes<1>, Lanes<2>>;
TYPED_TEST_SUITE(OdeRosenbrock, Numbers);

TYPED_TEST(OdeRosenbrock, FactorsSolveWhatNeedsPivots) {
  for (int n = 1; n <= most; ++n)
    for (unsigned seed = 1; seed <= 5; ++seed) {
      Solved<TypeParam> system(n, 100 * seed + static_cast<unsigned>(n));
      const Solved<TypeParam> given = system;
      Pivots<TypeParam, most> pivots;
      factorize(n, system.a, pivots);
      solve(n, system.a, pivots, system.b);
      for (int l = 0; l < Traits<TypeParam>::lanes; ++l)
        for (int i = 0; i < n; ++i) {
          if (n == 1 && lane(given.a[0], l) == 0) continue;
          double rest = lane(given.b[i], l), size = 1;
          for (int j = 0; j < n; ++j) rest -= lane(given.a[i * n + j], l) * lane(system.b[j], l);
          for (int j = 0; j < n; ++j) size = std::max(size, std::abs(lane(system.b[j], l)));
          EXPECT_LT(std::abs(rest), 1e-14 * size) << n << " lane " << l;
          for (int j = 0; j < i; ++j) EXPECT_LE(std::abs(lane(system.a[i * n + j], l)), 1 + 1e-15);
        }
    }
}

TYPED_TEST(OdeRosenbrock, ASingularMatrixGivesNoNumber) {
  TypeParam a[4] = {TypeParam(1.0), TypeParam(2.0), TypeParam(2.0), TypeParam(4.0)};
  TypeParam b[2] = {TypeParam(1.0), TypeParam(1.0)};
  Pivots<TypeParam, 2> pivots;
  factorize(2, a, pivots);
  solve(2, a, pivots, b);
  EXPECT_FALSE(std::isfinite(lane(b[0], 0)) && std::isfinite(lane(b[1], 0)));
}

// --- Coefficients ----------------------------------------------------------------------------------------------------

using Matrix = std::array<std::array<long double, most_stages>, most_stages>;
using Column = std::array<long double, most_stages>;

// A method as in Hairer and Wanner, IV.7: alpha_ij, gamma_ij, and b of its results.
struct Classic {
  int s = 0;
  Matrix alpha{}, beta{};  // beta = alpha + gamma
  Column alphas{}, betas{};
  Matrix gamma{};

  explicit Classic(const Tableau& k) : s(k.stages) {
    // Gamma^-1 = I/gamma - C is lower triangular.
    for (int j = 0; j < s; ++j)
      for (int i = j; i < s; ++i) {
        long double sum = i == j ? 1 : 0;
        for (int l = j; l < i; ++l) sum += static_cast<long double>(k.c[i][l]) * gamma[at(l)][at(j)];
        gamma[at(i)][at(j)] = k.gamma * sum;
      }
    for (int i = 0; i < s; ++i)
      for (int j = 0; j < s; ++j) {
        for (int l = 0; l < s; ++l) alpha[at(i)][at(j)] += k.a[i][l] * gamma[at(l)][at(j)];
        beta[at(i)][at(j)] = alpha[at(i)][at(j)] + gamma[at(i)][at(j)];
        alphas[at(i)] += alpha[at(i)][at(j)];
        betas[at(i)] += beta[at(i)][at(j)];
      }
  }
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  Column times(const Matrix& m, const Column& x) const {
    Column y{};
    for (int i = 0; i < s; ++i)
      for (int j = 0; j < s; ++j) y[at(i)] += m[at(i)][at(j)] * x[at(j)];
    return y;
  }
  Column product(const Column& x, const Column& y) const {
    Column z{};
    for (int i = 0; i < s; ++i) z[at(i)] = x[at(i)] * y[at(i)];
    return z;
  }
  // b of a result that is sum m_i u_i.
  Column weights(const Column& m) const {
    Column b{};
    for (int j = 0; j < s; ++j)
      for (int i = 0; i < s; ++i) b[at(j)] += m[at(i)] * gamma[at(i)][at(j)];
    return b;
  }

  // The largest defect of the conditions of order p (one per rooted tree), where the step is a share x of a whole one.
  long double defect(const Column& b, int p, long double x = 1) const {
    const Column a1 = alphas, a2 = product(a1, a1), a3 = product(a2, a1);
    const auto by_beta = [this](const Column& v) { return times(beta, v); };
    const auto by_alpha = [this](const Column& v) { return times(alpha, v); };
    const Column ab = by_alpha(betas), bb = by_beta(betas), aba = product(a1, ab);
    Column ones{};
    ones.fill(1);
    const std::array<std::vector<std::pair<Column, int>>, 6> trees{
        {{},
         {{ones, 1}},
         {{betas, 2}},
         {{a2, 3}, {bb, 6}},
         {{a3, 4}, {aba, 8}, {by_beta(a2), 12}, {by_beta(bb), 24}},
         {{product(a3, a1), 5},
          {product(a1, aba), 10},
          {product(ab, ab), 20},
          {product(a1, by_alpha(a2)), 15},
          {product(a1, by_alpha(bb)), 30},
          {by_beta(a3), 20},
          {by_beta(aba), 40},
          {by_beta(by_beta(a2)), 60},
          {by_beta(by_beta(bb)), 120}}}};
    long double worst = 0;
    for (const auto& [tree, density] : trees[at(p)]) {
      long double sum = 0;
      for (int i = 0; i < s; ++i) sum += b[at(i)] * tree[at(i)];
      worst = std::max(worst, std::abs(sum - std::pow(x, p) / density));
    }
    return worst;
  }
  // The stability function at z: 1 + z b (I - z B)^-1 1.
  std::complex<long double> stability(const Column& b, std::complex<long double> z) const {
    std::array<std::complex<long double>, most_stages> k{};
    std::complex<long double> sum = 1;
    for (int i = 0; i < s; ++i) {
      std::complex<long double> right = 1;
      for (int j = 0; j < i; ++j) right += z * beta[at(i)][at(j)] * k[at(j)];
      k[at(i)] = right / (1.0L - z * beta[at(i)][at(i)]);
      sum += z * b[at(i)] * k[at(i)];
    }
    return sum;
  }
};

Column column_of(const double (&values)[most_stages], long double scale = 1) {
  Column v{};
  for (std::size_t i = 0; i < most_stages; ++i) v[i] = scale * values[i];
  return v;
}
Column sum_of(const Column& a, const Column& b, long double scale) {
  Column v = a;
  for (std::size_t i = 0; i < most_stages; ++i) v[i] += scale * b[i];
  return v;
}

void expect_order(const Classic& method, const Column& b, int order, long double x, const char* what) {
  for (int p = 1; p <= order; ++p) EXPECT_LT(method.defect(b, p, x), 1e-13) << what << ", order " << p;
  if (order < 5) {
    EXPECT_GT(method.defect(b, order + 1, x), 1e-5) << what;
  }
}

// order: of the result, of the embedded one (which is result + sign error), of the continuous extension.
void check(const Tableau& k, int order, int embedded, int sign, int extension) {
  const Classic method(k);
  for (int i = 0; i < k.stages; ++i) {
    long double gammas = 0;
    for (const long double one : method.gamma[Classic::at(i)]) gammas += one;
    EXPECT_NEAR(static_cast<double>(method.alphas[Classic::at(i)]), k.alpha[i], 1e-13) << i;
    EXPECT_NEAR(static_cast<double>(gammas), k.gammas[i], 1e-13) << i;
  }
  const Column m = column_of(k.m), b = method.weights(m);
  expect_order(method, b, order, 1, "result");
  const Column other = method.weights(sum_of(m, column_of(k.e), sign));
  expect_order(method, other, embedded, 1, "embedded");
  for (const long double x : {0.3L, 0.85L}) {
    Column at_x = column_of(k.m, x);
    long double factor = x * (1 - x);
    for (int bend = 0; bend < k.bends; ++bend, factor *= x) at_x = sum_of(at_x, column_of(k.dense[bend]), factor);
    expect_order(method, method.weights(at_x), extension, x, "extension");
  }
  for (int i = -8; i <= 30; ++i) {
    const long double y = std::pow(2.0L, i);
    EXPECT_LE(std::abs(method.stability(b, {0, y})), 1 + 1e-12) << "A-stable at " << y;
    EXPECT_LE(std::abs(method.stability(other, {0, y})), 1 + (sign > 0 ? 10 : 1e-12)) << "embedded at " << y;
  }
  EXPECT_LT(std::abs(method.stability(b, {-1e9L, 0})), 1e-7) << "L-stable";
}

TEST(OdeRosenbrockTableaus, FulfillTheConditionsOfOrder) {
  check(ros23_tableau(), 2, 3, 1, 2);
  check(rodas5p_tableau(), 5, 4, -1, 4);
}

// --- Steps -----------------------------------------------------------------------------------------------------------

// y1' = -p (y1 - cos t) - sin t, y2' = y1 y2: y1 = cos t, y2 = exp(sin t) whatever p; with the integral of y1 y2, which
// is y2 - 1, as a quadrature.
struct Forced : PlainModel {
  static constexpr int state_capacity = 3, parameter_capacity = 1, constant_capacity = 1, time_capacity = 2;
  static constexpr int event_capacity = 1, accumulator_capacity = 1, extremum_capacity = 1;
  static constexpr int states = 2, quadratures = 1, parameters = 1, constants = 1, times = 2;
  static constexpr int accumulators = 1, extrema = 1;
  static constexpr bool uses_time = true;
  HALOCLINE_ODE void setup(const double* p, double* s) const { s[0] = p[0]; }
  template <class R>
  HALOCLINE_ODE void at_time(R t, const R*, R* d) const {
    d[0] = fn_sin(t);
    d[1] = fn_cos(t);
  }
  template <class R>
  HALOCLINE_ODE void rhs(R, const R* y, const R* d, const R* s, R* f) const {
    f[0] = s[0] * (d[1] - y[0]) - d[0];
    f[1] = f[2] = y[0] * y[1];
  }
  template <class R>
  HALOCLINE_ODE void linearized(R t, const R* y, const R* d, const R* s, R* f, R* by_state, R* by_time) const {
    rhs(t, y, d, s, f);
    by_state[0] = -s[0];
    by_state[1] = by_time[1] = by_time[2] = R(0.0);
    by_state[2] = by_state[4] = y[1];
    by_state[3] = by_state[5] = y[0];
    by_time[0] = -(s[0] * d[0]) - d[1];
  }
  HALOCLINE_ODE void accumulator_start(const Point<double>& x, double* a) const { a[0] = x.y[1]; }
  template <class R>
  HALOCLINE_ODE void accumulator_step(const Point<R>& x, R* next) const {
    next[0] = fn_max(x.a[0], x.y[1]);
  }
  template <class R>
  HALOCLINE_ODE void extremum_values(const Point<R>& x, R* value, R* slope) const {
    value[0] = x.y[1];
    slope[0] = x.f[1];
  }
};

template <Method method, class R>
OdeArrays forced(const std::vector<double>& p, double step, double tolerance,
                 Controller controller = Controller::mixed) {
  const Forced model;
  std::vector<double> initial(2 * p.size(), 1.0);
  OdeArrays arrays(static_cast<long long>(p.size()), state_rows(model), p, initial, 2);
  for (int i = 0; i < 3; ++i) arrays.ensemble.rtol[i] = arrays.ensemble.atol[i] = tolerance;
  arrays.ensemble.step = arrays.ensemble.max_step = step;
  arrays.ensemble.controller = controller;
  arrays.length[0] = 2;
  advance<method, R>(model, arrays.view(), {0, arrays.systems});
  return arrays;
}

// Errors of y1, y2, the integral and the refined maximum of y2 (its value e at pi/2 is in the middle of a step).
std::array<double, 4> errors_of(const OdeArrays& made, long long system = 0) {
  const double y2 = std::exp(std::sin(2.0));
  return {std::abs(made.value(0, system) - std::cos(2.0)), std::abs(made.value(1, system) - y2),
          std::abs(made.value(2, system) - (y2 - 1)), std::abs(made.value(6, system) - std::exp(1.0))};
}

template <Method method, class R>
void expect_orders(double p, double order, double extension) {
  const int steps = method == Method::ros23 ? 160 : 40;
  const auto coarse = errors_of(forced<method, R>({p}, 2.0 / steps, 1e3));
  const auto fine = errors_of(forced<method, R>({p}, 1.0 / steps, 1e3));
  for (const std::size_t i : {1, 2}) EXPECT_NEAR(std::log2(coarse[i] / fine[i]), order, 0.15) << i << ", p " << p;
  EXPECT_LT(fine[0], p > 100 ? 1e-12 + (order < 3 ? 1e-5 : 0) : 1e-5);
  EXPECT_GT(std::log2(coarse[3] / fine[3]), extension - 0.6) << p;
}

TYPED_TEST(OdeRosenbrock, OrdersOnANonAutonomousProblem) {
  expect_orders<Method::ros23, TypeParam>(2, 2, 2);
  expect_orders<Method::rodas5p, TypeParam>(2, 5, 4);
  expect_orders<Method::rodas5p, TypeParam>(1e6, 5, 4);  // no reduction of the order
}

TYPED_TEST(OdeRosenbrock, ControllersKeepTheTolerance) {
  for (const Controller controller : {Controller::mixed, Controller::rms}) {
    const auto fifth = forced<Method::rodas5p, TypeParam>({1, 1e3, 1e9}, 10, 1e-10, controller);
    const auto second = forced<Method::ros23, TypeParam>({1, 1e3, 1e9}, 10, 1e-6, controller);
    for (long long i = 0; i < 3; ++i) {
      EXPECT_LT(errors_of(fifth, i)[1], 1e-8);
      EXPECT_LT(errors_of(second, i)[1], 2e-4);
      EXPECT_LT(fifth.counter(Counter::accepted, i) + fifth.counter(Counter::rejected, i), 150);
      EXPECT_LT(second.counter(Counter::accepted, i) + second.counter(Counter::rejected, i), 1000);
    }
  }
}

TYPED_TEST(OdeRosenbrock, ResultsDoNotDependOnNeighbors) {
  std::vector<double> p;
  for (int i = 0; i < 21; ++i) p.push_back(std::pow(10.0, 0.3 * i));
  const auto all = forced<Method::rodas5p, TypeParam>(p, 10, 1e-8);
  for (long long i = 0; i < 21; ++i) {
    const auto alone = forced<Method::rodas5p, TypeParam>({p[static_cast<std::size_t>(i)]}, 10, 1e-8);
    for (int row = 0; row < 3; ++row) EXPECT_EQ(all.value(row, i), alone.value(row, 0));
    EXPECT_EQ(all.counter(Counter::accepted, i), alone.counter(Counter::accepted, 0));
  }
}

}  // namespace
}  // namespace halocline::ode_ensemble
