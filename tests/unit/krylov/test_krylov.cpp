// CG and BiCGSTAB on difference equations with known solutions: on every executor, on any number of parts and ranks.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "lib/krylov/krylov.hpp"
#include "tests/unit/executors.hpp"
#include "tests/unit/krylov/laplacian.hpp"

namespace halocline {
namespace {

constexpr Index total = 5 * rows_per_chunk + 77;
double solution(Index i) { return std::sin(0.01 * static_cast<double>(i)) + 1e-3 * static_cast<double>(i % 7); }

struct Result {
  SolveReport report;
  double error;
  std::vector<double> history;
};

class KrylovTest : public OnEveryExecutor {
 protected:
  static int ranks() { return Communicator(MPI_COMM_WORLD).size(); }
  Result solve(const char* method, double skew, double shift, int devices, const Operator<double>* M = nullptr,
               double tolerance = 1e-12) {
    const Communicator comm(MPI_COMM_WORLD);
    const Team team(make_test_executors(GetParam(), devices), comm.rank() * devices, comm.size() * devices);
    const Differences A(comm, team, total, skew, shift);
    Vector<double> x(A.space()), b(A.space()), exact(A.space());
    A.set(exact, solution);
    A.apply(exact, b);
    const auto solver = make_krylov<double>(method, A.space(), {tolerance, 2000});
    solver->begin(A, M, b, x);
    while (!solver->iterate(7)) {
    }
    std::array<double, 1> error{A.largest_difference(x, solution)};
    comm.max(error);
    return {solver->report(), error[0], solver->report().history};
  }
};

TEST_P(KrylovTest, ConjugateGradientsFindTheSolution) {
  const Result r = solve("cg", 0, 0.1, 1);
  EXPECT_TRUE(r.report.converged());
  EXPECT_LT(r.error, 1e-9);
  // Theory: 2 ((sqrt k - 1)/(sqrt k + 1))^n with k = 4.1/0.1 reaches 1e-12 at n = 90.
  EXPECT_LT(r.report.iterations, 95);
  EXPECT_EQ(r.history.size(), static_cast<std::size_t>(r.report.iterations) + 1);
}

TEST_P(KrylovTest, BiCgStabSolvesASkewSystem) {
  const Result r = solve("bicgstab", 0.4, 0.1, 1);
  EXPECT_TRUE(r.report.converged());
  EXPECT_LT(r.error, 1e-9);
}

TEST_P(KrylovTest, ResultsDoNotDependOnThePartition) {
  for (const char* method : {"cg", "bicgstab"}) {
    const Result one = solve(method, 0, 0.1, 1),
                 two = solve(method, 0, 0.1, 1 + (total / rows_per_chunk >= 2 * ranks()));
    EXPECT_EQ(one.history, two.history) << method;
    EXPECT_EQ(one.error, two.error) << method;
  }
}

// M = 2 I: iterates must equal those without M (scaling cancels), through the preconditioned code path.
class Scaling final : public Operator<double> {
 public:
  void apply(const Vector<double>& x, Vector<double>& y) const override {
    fill(y, 0);
    axpy(0.5, x, y);
  }
};

TEST_P(KrylovTest, AScalingPreconditionerChangesNothing) {
  const Scaling M;
  // Passes without M are fused on GPUs in another way than those with it, and round differently.
  const int slack = GetParam() == TestDevice::cuda ? 4 : 0;
  for (const char* method : {"cg", "bicgstab"}) {
    const Result plain = solve(method, 0, 0.1, 1), scaled = solve(method, 0, 0.1, 1, &M);
    EXPECT_NEAR(plain.report.iterations, scaled.report.iterations, slack) << method;
    EXPECT_NEAR(plain.error, scaled.error, 1e-11) << method;
  }
}

TEST_P(KrylovTest, StopsAtTheLimitWithoutConvergence) {
  const Communicator comm(MPI_COMM_WORLD);
  const Team team(make_test_executors(GetParam(), 1), comm.rank(), comm.size());
  const Differences A(comm, team, total, 0, 0.1);
  Vector<double> x(A.space()), b(A.space());
  A.set(b, [](Index) { return 1.0; });
  const auto solver = make_bicgstab<double>(A.space(), {1e-12, 5});
  solver->begin(A, nullptr, b, x);
  EXPECT_TRUE(solver->iterate(100));
  EXPECT_EQ(solver->report().iterations, 5);
  EXPECT_FALSE(solver->report().converged());
}

TEST_P(KrylovTest, ZeroRightHandSideAndExactGuessNeedNoIteration) {
  const Communicator comm(MPI_COMM_WORLD);
  const Team team(make_test_executors(GetParam(), 1), comm.rank(), comm.size());
  const Differences A(comm, team, total, 0, 0.1);
  Vector<double> x(A.space()), b(A.space());
  for (const char* method : {"cg", "bicgstab"}) {
    const auto solver = make_krylov<double>(method, A.space(), {1e-12, 5});
    solver->begin(A, nullptr, b, x);
    EXPECT_TRUE(solver->iterate(1));
    EXPECT_EQ(solver->report().iterations, 0);
    EXPECT_TRUE(solver->report().converged());
  }
}

TEST_P(KrylovTest, NonFiniteNumbersEndTheIteration) {
  const Communicator comm(MPI_COMM_WORLD);
  const Team team(make_test_executors(GetParam(), 1), comm.rank(), comm.size());
  const Differences A(comm, team, total, 0, 0.1);
  Vector<double> x(A.space()), b(A.space());
  A.set(b, [](Index i) { return i == 1000 ? std::numeric_limits<double>::infinity() : 1.0; });
  for (const char* method : {"cg", "bicgstab"}) {
    const auto solver = make_krylov<double>(method, A.space(), {1e-12, 50});
    solver->begin(A, nullptr, b, x);
    EXPECT_TRUE(solver->iterate(1000)) << method;
    EXPECT_TRUE(solver->report().failed()) << method;
    EXPECT_FALSE(solver->report().converged()) << method;
  }
}

INSTANTIATE_TEST_SUITE_P(Executors, KrylovTest, every_executor(), executor_name);

}  // namespace
}  // namespace halocline
