// Unsplit steps, bounds of the error of sweeps, and the probe of their stability, against dense matrices.
#include <memory>

#include "lib/base/hash.hpp"
#include "lib/problems/fractional/split/error_bound.hpp"
#include "lib/problems/fractional/split/probe.hpp"
#include "lib/problems/fractional/split/unsplit.hpp"
#include "tests/unit/dense_solve.hpp"
#include "tests/unit/executors.hpp"
#include "tests/unit/fractional/fractional_runs.hpp"
#include "tests/unit/fractional/prepared_step.hpp"
#include "tests/unit/fractional/split/dense_step.hpp"

namespace halocline::fractional {
namespace {

const std::string varying = "0.2*(1 + 3*x*y)*(1 + z)", constant = "0.2";

// Sides of every kind but periodic; what they give is constant over each and moves with t.
DeckText deck_of(const std::string& velocity, const std::string& D) {
  DeckText deck;
  deck.grid = "{size: [1, 0.8, 1.5], cells: [5, 3, 4]}";
  deck.equation = {{"order", "0.6"}, {"D", D}, {"sigma", "1"}, {"initial", "0"}};
  if (!velocity.empty()) deck.equation["velocity"] = velocity;
  deck.sides =
      "{x_min: {kind: dirichlet, value: 2*t}, y_max: {kind: robin, transfer: 3, value: 5*t}, z_min: {kind: neumann, "
      "value: 7*t}, rest: {kind: no_flux}}";
  deck.time = "{end: 1, steps: 10, scheme: l1}";
  return deck;
}

DenseProblem dense_of(const Formulation& f, double nu) {
  DenseProblem dense;
  dense.grid = f.grid;
  dense.ends[0][0].dirichlet = true;
  dense.ends[1][1].transfer = 3;
  dense.D = [constant = f.diffusivity.constant()](double x, double y, double z) {
    return constant ? 0.2 : 0.2 * (1 + 3 * x * y) * (1 + z);
  };
  for (std::size_t axis = 0; axis < 3; ++axis) dense.velocity[axis] = f.velocity[axis].number;
  dense.nu = nu;
  return dense;
}

// A step to t = 0.1 of a deck, up to its right-hand side, which is random.
struct Prepared : PreparedStep {
  Prepared(const TestDevice device, const std::string& velocity, const std::string& D = varying, double local = 2)
      : PreparedStep(device, deck_of(velocity, D), local),
        sides(f, slabs, coefficients),
        sweeps(f, slabs, coefficients, sides, factors),
        unsplit(f, system, sides, log),
        slot(slabs) {
    numbers.t = 0.1;
    factors.set(numbers);
    sides.start(0);
    sides.next(0, numbers.t);
    sweeps.prepare(numbers);
    for (Index i = 0; i < f.grid.unknowns(); ++i) right.push_back(u01(static_cast<std::uint64_t>(i)) - 0.3);
    slot.write(0, right);
  }
  double nu() const { return factors.nu_number(); }
  DenseProblem dense() const { return dense_of(f, nu()); }
  // Of the whole step, the data of sides included: gains of 0.2, 0.5, 0.7 where they are given.
  Values dense_right() const {
    const DenseProblem of = dense();
    Values b = right;
    of.each([&](const Index* node, std::size_t row) {
      if (node[0] == 0) {
        b[row] = 0.2;
        return;
      }
      const double D = of.D_at(node);
      if (node[1] == f.grid.extent[1] - 1) b[row] += nu() * 2 / f.grid.spacing[1] * D * 3 * 0.5;
      if (node[2] == 0) b[row] += nu() * 2 / f.grid.spacing[2] * D * 0.7;
    });
    return b;
  }
  Values to_values(const PartValues& of) {
    const SlabLayout& slab = slabs->layout(0);
    Values all;
    Values row(static_cast<std::size_t>(slab.extent[0]));
    for (Index line = 0; line < slab.lines(); ++line) {
      team.executor(0)->copy_out(row.data(), of[0] + slab.line(line), row.size() * sizeof(double));
      all.insert(all.end(), row.begin(), row.end());
    }
    return all;
  }

  SideValues sides;
  SweepStep<double> sweeps;
  Log log{false, LogLevel::off};
  Unsplit unsplit;
  SlabField<double> slot;
  Values right;
};

class Split : public testing::TestWithParam<TestDevice> {};
const std::string still, moving = "{x: 0.7, y: -0.4, z: 0.2}";

TEST_P(Split, StepsAsAWholeSolveTheDenseSystem) {
  for (const std::string& velocity : {still, moving}) {
    Prepared step(GetParam(), velocity);
    step.f.split.tol = 1e-13;
    step.unsplit.take_right(step.slot);
    EXPECT_GT(step.unsplit.solve(step.numbers, step.slot), 5);
    const Values expected = solve_dense(step.dense().matrix({0, 1, 2}), step.dense_right());
    const Values found = step.slot.read(0);
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-12) << velocity << i;
  }
}

TEST_P(Split, StartsWhereItIsTold) {
  Prepared step(GetParam(), still);
  step.f.split.tol = 1e-10;
  step.unsplit.take_right(step.slot);
  SlabField<double> solution(step.slabs);
  step.unsplit.solve(step.numbers, solution);
  step.unsplit.take_right(step.slot);
  step.unsplit.keep(solution);
  step.unsplit.begin_from_kept();
  EXPECT_LE(step.unsplit.solve(step.numbers, step.slot), 1);
}

// What a step says that has but two iterations.
std::string fault(Prepared& step) {
  step.f.split.maxit = 2;
  step.unsplit.take_right(step.slot);
  try {
    step.unsplit.solve(step.numbers, step.slot);
  } catch (const NumericalError& error) {
    return error.what();
  }
  return "";
}

TEST_P(Split, FaultsNameStepAndPlace) {
  Prepared step(GetParam(), still);
  const std::string text = fault(step);
  for (const char* part : {"step 1 to t = 0.1: CG did not converge after 2 iterations", "largest at x = ", "maxit"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
  EXPECT_EQ(text.find("upwind"), std::string::npos) << text;
}

TEST_P(Split, FaultsOfFastTransportOfferUpwind) {
  Prepared step(GetParam(), "{x: 90, y: -60, z: 30}");
  const std::string text = fault(step);
  EXPECT_NE(text.find("so does solver.advection: upwind, since the cell Peclet number reaches "), std::string::npos)
      << text;
}

double largest(const Values& x) {
  double most = 0;
  for (const double value : x) most = std::max(most, std::abs(value));
  return most;
}

// Bounds of what sweeps lack, W3 being theirs with what sides give to each: r = R + data - (I - nu Lambda) W3.
struct DenseBounds {
  explicit DenseBounds(const Prepared& step, const Values& w) {
    const DenseProblem dense = step.dense();
    const Dense whole = dense.matrix({0, 1, 2});
    const Values product_of_w = product(whole, w), right = step.dense_right();
    Values r(w.size(), 0);
    dense.each([&](const Index* node, std::size_t i) {
      if (!dense.unknown(node)) return;
      r[i] = right[i] - product_of_w[i];
      double dominance = 2 * whole[i][i];
      for (const double entry : whole[i]) dominance -= std::abs(entry);
      by_rows = std::max(by_rows, std::abs(r[i]) / dominance);
    });
    for (const int axis : {0, 1, 2}) by_axes.push_back(largest(solve_dense(dense.matrix({axis}), r)));
    error = largest(solve_dense(whole, r));
    for (const int axis : {0, 1, 2}) r = solve_dense(dense.matrix({axis}), r);
    by_product = largest(r);
  }
  double least() const { return std::min(by_rows, *std::min_element(by_axes.begin(), by_axes.end())); }

  double error = 0, by_rows = 0, by_product = 0;
  std::vector<double> by_axes;
};

// Of steps from short to long: nu D/h^2 is 0.05 to 5e4.
TEST_P(Split, BoundsOfErrorsAreThoseOfDenseMatrices) {
  for (const std::string& velocity : {still, moving}) {
    for (const double local : {100.0, 2.0, 1e-2, 1e-4}) {
      Prepared step(GetParam(), velocity, varying, local);
      step.unsplit.take_right(step.slot);
      step.sweeps.solve(step.slot, {});
      const DenseBounds dense(step, step.slot.read(0));
      const PartValues w = step.unsplit.keep(step.slot);
      const auto found = [&](double enough) {
        return bound_of_error(step.system, step.sweeps, step.unsplit.right(), w, values_of(step.slot), enough);
      };
      EXPECT_NEAR(found(1e300), dense.by_rows, 1e-9 * dense.by_rows) << velocity << local;
      EXPECT_NEAR(found(0), dense.least(), 1e-9 * dense.least()) << velocity << local;
      EXPECT_GE(dense.least(), dense.error) << velocity << local;
      EXPECT_LE(dense.least(), 20 * dense.error) << velocity << local;
      if (local == 1e-4) {
        EXPECT_LT(dense.by_product, 0.1 * dense.error) << velocity;
      }
    }
  }
}

// The recurrence of the probe with dense matrices.
Growth dense_growth(const DenseProblem& dense, bool extrapolated) {
  const auto random = [&](int stream) {
    Values v(dense.size(), 0);
    dense.each([&](const Index* node, std::size_t i) {
      if (dense.unknown(node)) v[i] = 2 * u01(2 * i + static_cast<std::uint64_t>(stream)) - 1;
    });
    return v;
  };
  const Dense A = dense.matrix({0, 1, 2});
  Values v = random(0), old = random(1);
  double sum = 0, since_eighth = 1;
  Growth growth;
  for (int n = 1; n <= 80; ++n) {
    Values star(v.size());
    for (std::size_t i = 0; i < v.size(); ++i) star[i] = extrapolated ? 2 * v[i] - old[i] : v[i];
    Values w = product(A, star);
    for (const int axis : {0, 1, 2}) w = solve_dense(dense.matrix({axis}), w);
    double square = 0;
    for (std::size_t i = 0; i < v.size(); ++i) {
      w[i] = star[i] - w[i];
      square += w[i] * w[i];
    }
    const double size = std::sqrt(square);
    for (std::size_t i = 0; i < v.size(); ++i) {
      old[i] = v[i] / size;
      v[i] = w[i] / size;
    }
    if (n > 40) sum += std::log(size);
    if (n > 8) since_eighth *= size;
    growth.excess = std::max(growth.excess, since_eighth * 8 / std::max(n, 8));
  }
  growth.rate = std::exp(sum / 40);
  return growth;
}

TEST_P(Split, ProbesFindTheGrowthOfDenseMatrices) {
  const std::string fast = "{x: 90, y: -60, z: 30}";
  for (const bool extrapolated : {true, false})
    for (const std::string& D : {varying, constant}) {
      Prepared step(GetParam(), fast, D);
      step.f.extrapolated = extrapolated;
      const Weights weights = step.f.weights(step.coefficients.media().media());
      const Growth found = growth_of_sweeps(step.f, weights, step.system, step.sweeps, step.factors, step.slot);
      Growth expected;
      for (const double share : {1.0, 0.1, 0.01}) {
        const Growth one = dense_growth(dense_of(step.f, share / weights.local(2, 0)), extrapolated);
        expected.rate = std::max(expected.rate, one.rate);
        expected.excess = std::max(expected.excess, one.excess);
      }
      EXPECT_NEAR(found.rate, expected.rate, 1e-9 * expected.rate);
      EXPECT_NEAR(found.excess, expected.excess, 1e-7 * expected.excess);
      EXPECT_TRUE(!extrapolated || !(found.stable_in_the_end() || found.stable_between()));
    }
}

INSTANTIATE_TEST_SUITE_P(Executors, Split, every_executor(), executor_name);

}  // namespace
}  // namespace halocline::fractional
