// GMRES on small dense matrices: against LAPACK, in as many steps as theory says, and every reason to end; in double
// and float. The least squares problem of a cycle by itself.
#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <limits>

#include "lib/krylov/hessenberg.hpp"
#include "lib/krylov/krylov.hpp"
#include "lib/linalg/lapack.hpp"
#include "tests/unit/executors.hpp"
#include "tests/unit/krylov/dense_operator.hpp"
#include "tests/unit/random_numbers.hpp"

namespace halocline {
namespace {

// Convection and diffusion on 4 x 4 nodes, flow across the grid, five points, upwind: not symmetric, diagonal unequal.
std::vector<double> convection_diffusion() {
  const Index m = 4, n = m * m;
  std::vector<double> a(n * n, 0.0);
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < m; ++j) {
      const Index row = i * m + j;
      const double west = 1 + 3.0 * static_cast<double>(i + 1), south = 1 + 0.5 * static_cast<double>(j);
      a[row * n + row] = west + south + 2;
      if (i > 0) a[row * n + row - m] = -west;
      if (i + 1 < m) a[row * n + row + m] = -1;
      if (j > 0) a[row * n + row - 1] = -south;
      if (j + 1 < m) a[row * n + row + 1] = -1;
    }
  return a;
}

// e_1 -> e_2 -> ... -> e_n -> e_1
std::vector<double> cyclic_shift(Index n) {
  std::vector<double> a(n * n, 0.0);
  for (Index j = 0; j < n; ++j) a[(j + 1) % n * n + j] = 1;
  return a;
}

std::vector<double> diagonal(const std::vector<double>& d) {
  std::vector<double> a(d.size() * d.size(), 0.0);
  for (std::size_t i = 0; i < d.size(); ++i) a[i * d.size() + i] = d[i];
  return a;
}

std::vector<double> unit(Index n, Index i, double value = 1) {
  std::vector<double> e(static_cast<std::size_t>(n), 0.0);
  e[i] = value;
  return e;
}

template <class T>
struct Result {
  SolveReport report;
  std::vector<double> x;
};

class SmallGmresTest : public OnEveryExecutor {
 protected:
  // M: matrices, taken in turn.
  template <class T = double>
  Result<T> solve(const std::vector<double>& a, const std::vector<double>& b, const KrylovOptions& options,
                  const std::vector<std::vector<double>>& M = {}) {
    const auto n = static_cast<Index>(b.size());
    const Team team({executor()}, 0, 1);
    const DenseOperator<T> A(comm_, team, n, a);
    const Alternating<T> inverse(A, comm_, team, n, M);
    Vector<T> x(A.space()), rhs(A.space());
    A.set(rhs, b);
    const auto solver = make_gmres<T>(A.space(), options);
    solver->begin(A, M.empty() ? nullptr : &inverse, rhs, x);
    while (!solver->iterate(2)) {
    }
    return {solver->report(), A.values(x)};
  }

 private:
  template <class T>
  class Alternating final : public Operator<T> {
   public:
    Alternating(const DenseOperator<T>& A, const Communicator& comm, const Team& team, Index n,
                const std::vector<std::vector<double>>& matrices)
        : A_(A) {
      for (const auto& matrix : matrices) turns_.emplace_back(comm, team, n, matrix);
    }
    void apply(const Vector<T>& x, Vector<T>& y) const override {
      const DenseOperator<T>& turn = turns_[applied_++ % turns_.size()];
      Vector<T> from(turn.space()), to(turn.space());
      turn.set(from, A_.values(x));
      turn.apply(from, to);
      A_.set(y, turn.values(to));
    }

   private:
    const DenseOperator<T>& A_;
    std::deque<DenseOperator<T>> turns_;
    mutable std::size_t applied_ = 0;
  };
  Communicator comm_{MPI_COMM_SELF};
};

KrylovOptions with(double tolerance, int restart = 30, Index most = 200) {
  KrylovOptions options;
  options.tolerance = tolerance;
  options.restart = restart;
  options.max_iterations = most;
  return options;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

// Two unequal rough inverses that are no multiples of the identity.
std::vector<std::vector<double>> rough_inverses(const std::vector<double>& a, Index n) {
  std::vector<double> jacobi(n), other(n);
  for (Index i = 0; i < n; ++i) {
    jacobi[i] = 1 / a[i * n + i];
    other[i] = 1 / (a[i * n + i] + static_cast<double>(i));
  }
  std::vector<double> second = diagonal(other);
  for (Index i = 1; i < n; ++i) second[i * n + i - 1] = 0.5 * other[i];
  return {diagonal(jacobi), second};
}

TEST_P(SmallGmresTest, AgreesWithLapackWithinOneCycleOfLengthN) {
  const std::vector<double> a = convection_diffusion(), b = random_numbers(16, 3);
  std::vector<double> expected = b;
  DenseLu(16, a).solve(expected.data());
  const auto inverses = rough_inverses(a, 16);
  for (const auto& M : {std::vector<std::vector<double>>{}, {inverses[0]}, {inverses[1]}, inverses}) {
    const auto whole = solve(a, b, with(1e-13, 16), M);
    EXPECT_TRUE(whole.report.converged()) << words(whole.report.status);
    EXPECT_LE(whole.report.iterations, 16);
    EXPECT_LT(largest_difference(whole.x, expected), 1e-12);
    for (std::size_t i = 1; i < whole.report.history.size(); ++i)
      EXPECT_LE(whole.report.history[i], whole.report.history[i - 1] * (1 + 1e-12)) << "residuals never grow";
    const auto restarted = solve(a, b, with(1e-13, 5), M);
    EXPECT_TRUE(restarted.report.converged());
    EXPECT_GT(restarted.report.iterations, whole.report.iterations);
    EXPECT_LT(largest_difference(restarted.x, expected), 1e-12);
    const auto single = solve<float>(a, b, with(1e-5, 16), M);
    EXPECT_TRUE(single.report.converged());
    EXPECT_LE(single.report.iterations, 16);
    EXPECT_LT(largest_difference(single.x, expected), 1e-4);
  }
}

TEST_P(SmallGmresTest, ACyclicShiftTakesAllStepsAndNeverBeginsWithFewer) {
  const auto whole = solve(cyclic_shift(7), unit(7, 0), with(1e-12, 7));
  EXPECT_TRUE(whole.report.converged());
  EXPECT_EQ(whole.report.iterations, 7);
  for (int i = 0; i < 7; ++i) EXPECT_DOUBLE_EQ(whole.report.history[i], 1) << i;
  EXPECT_LT(largest_difference(whole.x, unit(7, 6)), 1e-14);
  KrylovOptions options = with(1e-12, 6);
  options.stagnation = 30;
  const auto restarted = solve(cyclic_shift(7), unit(7, 0), options);
  EXPECT_EQ(restarted.report.status, SolveStatus::stagnated);
  EXPECT_EQ(restarted.report.iterations, 30);
}

// Three different eigenvalues: an invariant space after three steps, which holds the solution.
TEST_P(SmallGmresTest, EndsWellWhereTheSpaceIsInvariant) {
  for (const double tolerance : {1e-12, 0.0}) {
    const auto result = solve(diagonal({1, 2, 5, 2, 1, 5, 5, 1}), std::vector<double>(8, 10.0), with(tolerance));
    EXPECT_LE(result.report.iterations, 6);
    EXPECT_LT(largest_difference(result.x, {10, 5, 2, 5, 10, 2, 2, 10}), 1e-13);
    // Zero is out of reach but by luck, and rounding is no progress.
    EXPECT_TRUE(result.report.converged() || (tolerance == 0 && result.report.status == SolveStatus::stagnated))
        << words(result.report.status);
  }
  const auto once = solve(diagonal({3, 1, 1}), {6, 0, 0}, with(1e-12));
  EXPECT_EQ(once.report.iterations, 1);
  EXPECT_TRUE(once.report.converged());
  EXPECT_DOUBLE_EQ(once.x[0], 2);
}

TEST_P(SmallGmresTest, SingularMatricesBreakDownUnlessTheSystemHasASolution) {
  const auto solvable = solve(diagonal({1, 2, 0, 4}), {1, 1, 0, 1}, with(1e-12));
  EXPECT_TRUE(solvable.report.converged());
  EXPECT_LT(largest_difference(solvable.x, {1, 0.5, 0, 0.25}), 1e-14);
  // The least residual that any x has is 3 / norm(b).
  const auto unsolvable = solve(diagonal({1, 2, 0, 4}), {1, 1, 3, 1}, with(1e-12));
  EXPECT_EQ(unsolvable.report.status, SolveStatus::breakdown);
  EXPECT_NEAR(unsolvable.report.residual, 3 / std::sqrt(12), 1e-12);
  EXPECT_EQ(unsolvable.report.history.size(), static_cast<std::size_t>(unsolvable.report.iterations) + 1);
  // A takes the residual to zero in the first step.
  const auto hopeless = solve({0, 1, 0, 0}, {1, 0}, with(1e-12));
  EXPECT_EQ(hopeless.report.status, SolveStatus::breakdown);
  EXPECT_EQ(hopeless.x, (std::vector<double>{0, 0}));
}

TEST_P(SmallGmresTest, NumbersThatAreNoneEndTheIteration) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {nan, infinity}) {
    EXPECT_EQ(solve(diagonal({1, 2, 3}), {1, bad, 1}, with(1e-12)).report.status, SolveStatus::not_finite);
    const auto matrix = solve(diagonal({1, bad, 3}), {1, 2, 3}, with(1e-12));
    EXPECT_EQ(matrix.report.status, SolveStatus::not_finite);
    EXPECT_TRUE(std::isfinite(matrix.x[0]));
    EXPECT_EQ(solve(diagonal({1, 2, 3}), {1, 1, 1}, with(1e-12), {diagonal({1, bad, 1})}).report.status,
              SolveStatus::not_finite);
  }
}

TEST_P(SmallGmresTest, StopsAtLimits) {
  const std::vector<double> a = convection_diffusion(), b = random_numbers(16, 3);
  const auto zero = solve(a, std::vector<double>(16, 0.0), with(1e-12));
  EXPECT_EQ(zero.report.status, SolveStatus::zero_rhs);
  EXPECT_EQ(zero.report.iterations, 0);
  const auto limited = solve(a, b, with(1e-12, 5, 8));
  EXPECT_EQ(limited.report.status, SolveStatus::max_iterations);
  EXPECT_EQ(limited.report.iterations, 8);
  // x has the progress of the cycle that the limit cut short.
  std::vector<double> residual = b;
  for (Index i = 0; i < 16; ++i)
    for (Index j = 0; j < 16; ++j) residual[i] -= a[i * 16 + j] * limited.x[j];
  double rr = 0, bb = 0;
  for (Index i = 0; i < 16; ++i) rr += residual[i] * residual[i], bb += b[i] * b[i];
  EXPECT_NEAR(std::sqrt(rr / bb) / limited.report.history.back(), 1, 1e-8);
  KrylovOptions absolute = with(0);
  absolute.absolute_tolerance = 1e-3;
  const auto result = solve(a, b, absolute);
  EXPECT_TRUE(result.report.converged());
  EXPECT_LE(result.report.residual * std::sqrt(bb), 1e-3);
  EXPECT_GT(result.report.history[result.report.history.size() - 2] * std::sqrt(bb), 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Executors, SmallGmresTest, every_executor(), executor_name);

// Normal equations of the same problem.
TEST(HessenbergSystem, MinimizesTheResidual) {
  const std::vector<std::vector<double>> columns{{2, 1}, {-1, 3, 0.5}, {0.25, 1, -2, 4}};
  HessenbergSystem system(3);
  system.begin(2);
  EXPECT_EQ(system.residual(), 2);
  for (const auto& column : columns)
    EXPECT_TRUE(system.add_column(std::span(column).first(column.size() - 1), column.back(), 0));
  std::vector<double> normal(9, 0.0), expected(3, 0.0);
  for (std::size_t i = 0; i < 3; ++i) {
    expected[i] = 2 * columns[i][0];
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < std::min(columns[i].size(), columns[j].size()); ++k)
        normal[i * 3 + j] += columns[i][k] * columns[j][k];
  }
  DenseLu(3, normal).solve(expected.data());
  const std::vector<double> y = system.solve();
  EXPECT_LT(largest_difference(y, expected), 1e-14);
  double square = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    double r = k == 0 ? 2 : 0;
    for (std::size_t j = 0; j < 3; ++j)
      if (k < columns[j].size()) r -= columns[j][k] * y[j];
    square += r * r;
  }
  EXPECT_NEAR(system.residual(), std::sqrt(square), 1e-15);
}

TEST(HessenbergSystem, RefusesColumnsThatDependOnOthers) {
  HessenbergSystem system(3);
  system.begin(1);
  EXPECT_TRUE(system.add_column(std::vector<double>{1}, 2, 1e-14));
  EXPECT_FALSE(system.add_column(std::vector<double>{2, 4}, 0, 1e-14));  // twice the first
  EXPECT_EQ(system.columns(), 1);
  EXPECT_DOUBLE_EQ(system.solve()[0], 0.2);
}

}  // namespace
}  // namespace halocline
