// Solves with numbers whose squares are out of range, options out of range, and solutions that overflow.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "lib/krylov/krylov.hpp"
#include "tests/unit/executors.hpp"
#include "tests/unit/krylov/dense_operator.hpp"
#include "tests/unit/krylov/variants.hpp"
#include "tests/unit/random_numbers.hpp"

namespace halocline {
namespace {

using Numbers = std::vector<double>;
const char* const methods[] = {"cg", "fcg", "bicgstab", "gmres", "fused cg", "fused fcg", "fused bicgstab"};
constexpr Index size = 10;

Numbers counting_diagonal() {
  Numbers a(size * size, 0.0);
  for (Index i = 0; i < size; ++i) a[i * size + i] = static_cast<double>(i + 1);
  return a;
}

// |b - diag(1, 2, ...) x| / |b|
double true_residual(const Numbers& b, const Numbers& x) {
  double rr = 0, bb = 0;
  for (Index i = 0; i < size; ++i) {
    rr = std::hypot(rr, b[i] - static_cast<double>(i + 1) * x[i]);
    bb = std::hypot(bb, b[i]);
  }
  return rr / bb;
}

class RangeTest : public OnEveryExecutor {
 protected:
  template <class T>
  struct Solve {
    SolveReport report;
    Numbers b, x;
  };
  // b of numbers near `size_of_b`; the initial guess is `start` times the solution.
  template <class T>
  Solve<T> solve(const std::string& method, double size_of_b, double start, const KrylovOptions& options) {
    const DenseOperator<T> A(comm_, team_, size, counting_diagonal());
    Vector<T> x(A.space()), b(A.space());
    Numbers rhs = random_numbers(size, 5), guess(size);
    for (Index i = 0; i < size; ++i) {
      rhs[i] *= size_of_b;
      guess[i] = start * rhs[i] / static_cast<double>(i + 1);
    }
    A.set(b, rhs);
    A.set(x, guess);
    const auto solver = make_variant<T>(method, A.space(), options);
    solver->begin(A, nullptr, b, x);
    EXPECT_TRUE(solver->iterate(1000));
    return {solver->report(), A.values(b), A.values(x)};
  }
  template <class T>
  void expect_no_false_convergence(double size_of_b, double tolerance) {
    for (const char* method : methods)
      for (const bool confirm : {false, true}) {
        const KrylovOptions options{.tolerance = tolerance, .max_iterations = 300, .confirm = confirm};
        const auto result = solve<T>(method, size_of_b, 0, options);
        if (!result.report.converged()) continue;
        EXPECT_LE(true_residual(result.b, result.x), 10 * tolerance) << method << ", " << size_of_b << ", " << confirm;
      }
  }

  Communicator comm_{MPI_COMM_SELF};
  Team team_{{executor()}, 0, 1};
};

TEST_P(RangeTest, SmallNumbersDoNotConvergeFalsely) {
  for (const double of_b : {1e-12, 1e-15, 1e-18, 1e-20, 1e-22, 1e-24}) expect_no_false_convergence<float>(of_b, 1e-5);
  for (const double of_b : {1e-140, 1e-150, 1e-156, 1e-158, 1e-160, 1e-161})
    expect_no_false_convergence<double>(of_b, 1e-10);
}

TEST_P(RangeTest, NeitherDoLargeOnes) {
  for (const char* method : methods) {
    const KrylovOptions options{.tolerance = 1e-10, .max_iterations = 300};
    const auto near = solve<double>(method, 3e154, 0.99, options);
    EXPECT_TRUE(near.report.converged()) << method << ": b is out of range, the residual is not";
    EXPECT_LE(true_residual(near.b, near.x), 1e-9) << method;
    const auto far = solve<double>(method, 1e170, 0, options);
    EXPECT_TRUE(far.report.failed() || true_residual(far.b, far.x) <= 1e-9) << method;
    EXPECT_EQ(solve<double>(method, std::numeric_limits<double>::infinity(), 0, options).report.status,
              SolveStatus::not_finite);
  }
}

TEST_P(RangeTest, SmallNumbersAreNoIndefiniteOperators) {
  for (const char* method : {"cg", "fcg", "fused cg", "fused fcg"}) {
    const auto result = solve<double>(method, 1e-161, 0, {.tolerance = 1e-10, .max_iterations = 300});
    EXPECT_EQ(result.report.status, SolveStatus::breakdown) << method;
  }
}

// A residual does not see x where A has a column of zeros: x_0 grows with every iteration here. With products that are
// not fused, other roundings end the solve before x overflows.
TEST_P(RangeTest, SolutionsThatOverflowAreNoSolutions) {
  const DenseOperator<double> A(comm_, team_, 3, {0, 1, 0, 0, 0, 0, 0, 0, 2.3});
  Vector<double> x(A.space()), b(A.space());
  A.set(b, {-0.8516768973148736, 0, -1.3180142900505136});
  const auto solver = make_bicgstab<double>(A.space(), {.tolerance = 1e-8, .max_iterations = 300});
  solver->begin(A, nullptr, b, x);
  EXPECT_TRUE(solver->iterate(1000));
  EXPECT_TRUE(std::isfinite(solver->report().residual));
  if (std::isfinite(A.values(x)[0])) GTEST_SKIP() << "x did not overflow";
  EXPECT_EQ(solver->report().status, SolveStatus::not_finite);
}

TEST_P(RangeTest, UndefinedNumbersAreNoEstimateOfTheError) {
  const DenseOperator<double> A(comm_, team_, size, counting_diagonal());
  Vector<double> x(A.space()), b(A.space());
  fill(b, std::nan(""));
  const auto solver = make_half_step_bicgstab<double>(A.space(), {.tolerance = 1});
  solver->begin(A, &A, b, x);
  EXPECT_TRUE(solver->iterate(10));
  EXPECT_EQ(solver->report().status, SolveStatus::not_finite);
}

TEST_P(RangeTest, RefusesOptions) {
  const DenseOperator<double> A(comm_, team_, size, counting_diagonal());
  const double nan = std::nan("");
  for (const KrylovOptions& options : {KrylovOptions{.tolerance = nan},
                                       {.tolerance = -1e-9},
                                       {.max_iterations = -3},
                                       {.absolute_tolerance = -1},
                                       {.divergence = nan},
                                       {.stagnation = -1},
                                       {.restart = 0},
                                       {.restart = 65536},
                                       {.restart = 1001}}) {
    for (const char* method : methods) EXPECT_THROW(make_variant<double>(method, A.space(), options), InternalError);
  }
  for (const char* method : methods)
    make_variant<double>(method, A.space(), {.restart = 1000});  // allocates nothing yet
}

INSTANTIATE_TEST_SUITE_P(Executors, RangeTest, every_executor(), executor_name);

}  // namespace
}  // namespace halocline
