// BiCGSTAB that stops at the half step on the preconditioner's estimate of the error.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "lib/krylov/krylov.hpp"
#include "tests/unit/executors.hpp"
#include "tests/unit/krylov/laplacian.hpp"

namespace halocline {
namespace {

constexpr Index total = 2 * rows_per_chunk + 77;
double solution(Index i) { return std::sin(0.01 * static_cast<double>(i)) + 1e-3 * static_cast<double>(i % 7); }

// y = factor x: the inverse of A up to its condition for a diagonally dominant A.
class Scaling final : public Operator<double> {
 public:
  explicit Scaling(double factor) : factor_(factor) {}
  void apply(const Vector<double>& x, Vector<double>& y) const override {
    fill(y, 0);
    if (factor_ != 0) axpy(factor_, x, y);
  }

 private:
  double factor_;
};

class HalfStepTest : public OnEveryExecutor {
 protected:
  // Solves A x = b for the known solution times `factor`; `error` is relative.
  SolveReport solve(const Operator<double>& M, double tolerance, Index most, double& error, double factor = 1,
                    SumMessages sums = SumMessages::separate) {
    const Team team({executor()}, 0, 1);
    const Differences A(comm_, team, total, 0.4, 0.5);
    Vector<double> x(A.space()), b(A.space()), exact(A.space());
    A.set(exact, [factor](Index i) { return factor * solution(i); });
    A.apply(exact, b);
    const auto solver =
        make_half_step_bicgstab<double>(A.space(), {.tolerance = tolerance, .max_iterations = most, .sums = sums});
    solver->begin(A, &M, b, x);
    while (!solver->iterate(2)) {
    }
    axpy(-1, exact, x);
    error = norm(x) / norm(exact);
    return solver->report();
  }
  Communicator comm_{MPI_COMM_SELF};
};

TEST_P(HalfStepTest, EstimateIsAnErrorWithinTheQualityOfThePreconditioner) {
  for (const double tolerance : {1e-4, 1e-8, 1e-12}) {
    double error = 0;
    const SolveReport report = solve(Scaling(0.4), tolerance, 200, error);
    EXPECT_TRUE(report.converged());
    EXPECT_LE(report.residual, tolerance);
    // The correction A^-1 s is at most cond(A) = 9 times 0.4 s.
    EXPECT_LT(error, 10 * tolerance + 1e-15);
    EXPECT_EQ(report.history.size(), static_cast<std::size_t>(report.iterations) + 1);
  }
}

// Estimates of the same numbers, rounded otherwise; the last iterations are made as without.
TEST_P(HalfStepTest, FusedSumsTakeTheSameSteps) {
  for (const double tolerance : {1e-4, 1e-8, 1e-12}) {
    double error = 0, fused_error = 0;
    const SolveReport separate = solve(Scaling(0.4), tolerance, 200, error);
    const SolveReport fused = solve(Scaling(0.4), tolerance, 200, fused_error, 1, SumMessages::fused);
    EXPECT_TRUE(fused.converged());
    EXPECT_EQ(fused.iterations, separate.iterations);
    EXPECT_LE(fused.residual, tolerance);
    EXPECT_LT(fused_error, 10 * tolerance + 1e-15);
    for (std::size_t i = 0; i < std::min<std::size_t>(6, separate.history.size()); ++i)
      EXPECT_NEAR(fused.history[i], separate.history[i], 1e-9 * separate.history[i]) << i;
  }
  double error = 0;
  EXPECT_EQ(solve(Scaling(0), 1e-12, 50, error, 1, SumMessages::fused).restarts, 3);
  EXPECT_TRUE(solve(Scaling(0.4), 1e-12, 50, error, 1e-200, SumMessages::fused).failed());
  EXPECT_TRUE(solve(Scaling(0.4), 1e-12, 50, error, 0, SumMessages::fused).converged());
}

TEST_P(HalfStepTest, ReportsLimitsAndBreakdowns) {
  double error = 0;
  const SolveReport limited = solve(Scaling(0.4), 1e-12, 3, error);
  EXPECT_FALSE(limited.converged());
  EXPECT_EQ(limited.iterations, 3);
  const SolveReport useless = solve(Scaling(0), 1e-12, 50, error);
  EXPECT_TRUE(useless.failed());
  EXPECT_EQ(useless.restarts, 3);
  EXPECT_FALSE(useless.converged());
  EXPECT_TRUE(solve(Scaling(std::nan("")), 1e-12, 50, error).failed());
}

TEST_P(HalfStepTest, TakesNeitherNanNorUnderflowForASolution) {
  double error = 0;
  for (const double factor : {std::nan(""), 1e-200}) {
    const SolveReport report = solve(Scaling(0.4), 1e-12, 50, error, factor);
    EXPECT_TRUE(report.failed()) << factor;
    EXPECT_FALSE(report.converged()) << factor;
  }
  EXPECT_TRUE(solve(Scaling(0.4), 1e-12, 50, error, 0).converged());
}

INSTANTIATE_TEST_SUITE_P(Executors, HalfStepTest, every_executor(), executor_name);

}  // namespace
}  // namespace halocline
