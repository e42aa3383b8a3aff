// GMRES on difference equations: iterations that scipy takes, the same bits on any number of parts and ranks, and after
// a restart in the middle of a cycle.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "lib/krylov/krylov.hpp"
#include "tests/unit/executors.hpp"
#include "tests/unit/krylov/jacobi.hpp"
#include "tests/unit/memory_archive.hpp"

namespace halocline {
namespace {

constexpr Index total = 3 * rows_per_chunk + 77;
constexpr double skew = 0.4, shift = 0.1;
double solution(Index i) {
  return (std::sin(0.01 * static_cast<double>(i)) + 1e-3 * static_cast<double>(i % 7)) / ScaledColumns::scale(i);
}

struct Case {
  std::vector<int> sweeps = {};  // of the preconditioner; empty: none
  int restart = 30;
  Orthogonalization orthogonalization = Orthogonalization::classical_twice;
};

struct Result {
  SolveReport report;
  double error;
};

// Keeps vectors as they lie, for the same partition.
class PartArchive final : public VectorArchive<double> {
 public:
  explicit PartArchive(const StateArchive& state) : state_(state) {}
  void vector(const char* name, Vector<double>& x) const override {
    for (int p = 0; p < x.space().team().parts(); ++p) {
      std::vector<double>& kept = kept_[name + std::to_string(p)];
      if (state_.restoring()) {
        x.assign(p, kept);
      } else {
        kept = x.to_host(p);
      }
    }
  }

 private:
  const StateArchive& state_;
  mutable std::map<std::string, std::vector<double>> kept_;
};

// A, M, b, x and the solver on parts of all ranks of `comm`.
class Solve {
 public:
  Solve(const Communicator& comm, const std::vector<ExecutorPtr>& executors, const Case& run)
      : comm_(comm),
        team_(executors, comm.rank() * static_cast<int>(executors.size()),
              comm.size() * static_cast<int>(executors.size())),
        differences_(comm, team_, total, skew, shift),
        A_(differences_),
        b_(differences_.space()),
        x_(differences_.space()) {
    Vector<double> exact(differences_.space());
    differences_.set(exact, solution);
    A_.apply(exact, b_);
    if (!run.sweeps.empty()) M_ = std::make_unique<JacobiSweeps>(differences_, A_, 2 + shift, run.sweeps);
    KrylovOptions options;
    options.tolerance = 1e-10;
    options.restart = run.restart;
    options.orthogonalization = run.orthogonalization;
    solver_ = make_krylov<double>("gmres", differences_.space(), options);
    solver_->begin(A_, M_.get(), b_, x_);
  }

  Result finish() {
    while (!solver_->iterate(7)) {
    }
    std::array<double, 1> error{differences_.largest_difference(x_, solution)};
    comm_.max(error);
    return {solver_->report(), error[0]};
  }

  KrylovSolver<double>& solver() { return *solver_; }
  void archive(StateArchive& state, const PartArchive& vectors) {
    solver_->archive(state, vectors);
    vectors.vector("x", x_);
  }

 private:
  const Communicator& comm_;
  Team team_;
  Differences differences_;
  ScaledColumns A_;
  Vector<double> b_, x_;
  std::unique_ptr<JacobiSweeps> M_;
  std::unique_ptr<KrylovSolver<double>> solver_;
};

class GmresTest : public OnEveryExecutor {
 protected:
  Result solve(const Case& run, int devices = 1) {
    return Solve(world_, make_test_executors(GetParam(), devices), run).finish();
  }
  Communicator world_{MPI_COMM_WORLD}, self_{MPI_COMM_SELF};
};

// By tests/data/gmres_counts.py. The last is flexible: one sweep and three by turns.
TEST_P(GmresTest, TakesTheIterationsOfOtherPrograms) {
  const std::map<int, std::array<int, 4>> counts{{30, {179, 175, 75, 102}}, {10, {185, 181, 75, 102}}};
  const std::array<std::vector<int>, 4> sweeps{{{}, {1}, {3}, {1, 3}}};
  for (const auto& [restart, expected] : counts)
    for (std::size_t k = 0; k < 4; ++k) {
      if (GetParam() != TestDevice::omp_1 && k != 3) continue;  // emulated launches are slow
      const Result result = solve({sweeps[k], restart});
      EXPECT_TRUE(result.report.converged());
      EXPECT_EQ(result.report.iterations, expected[k]) << restart << ", " << k;
      EXPECT_LT(result.error, 1e-8) << restart << ", " << k;
      EXPECT_EQ(result.report.history.size(), static_cast<std::size_t>(result.report.iterations) + 1);
    }
}

TEST_P(GmresTest, BothOrthogonalizationsTakeTheSameIterations) {
  for (const std::vector<int>& sweeps : {std::vector<int>{}, {1, 3}}) {
    const Result classical = solve({sweeps, 30}), modified = solve({sweeps, 30, Orthogonalization::modified});
    EXPECT_EQ(classical.report.iterations, modified.report.iterations);
    for (std::size_t i = 0; i < classical.report.history.size(); ++i)
      ASSERT_NEAR(classical.report.history[i] / modified.report.history[i], 1, 1e-3) << i;
  }
}

TEST_P(GmresTest, BitsDoNotDependOnPartsOrRanks) {
  const Case run{{1, 3}, 10};
  const Result alone = Solve(self_, make_test_executors(GetParam(), 1), run).finish();
  const Result ranks = solve(run), devices = solve(run, world_.size() <= 2 ? 2 : 1);
  EXPECT_EQ(alone.report.history, ranks.report.history);
  EXPECT_EQ(alone.report.history, devices.report.history);
  EXPECT_EQ(alone.error, devices.error);
}

// In the middle of the third cycle; sweeps that stay the same, since M must be a function of its argument.
TEST_P(GmresTest, ARestoredSolveGoesOnWithTheSameBits) {
  for (const std::vector<int>& sweeps : {std::vector<int>{}, {3}}) {
    const Case run{sweeps, 10};
    const std::vector<ExecutorPtr> executors = make_test_executors(GetParam(), 1);
    Solve interrupted(world_, executors, run), restored(world_, executors, run);
    EXPECT_FALSE(interrupted.solver().iterate(27));
    MemoryArchive state;
    const PartArchive vectors(state);
    interrupted.archive(state, vectors);
    state.restore_from_now_on();
    restored.archive(state, vectors);
    EXPECT_EQ(restored.solver().report().iterations, 27);
    const Result expected = interrupted.finish(), result = restored.finish();
    EXPECT_EQ(result.report.history, expected.report.history);
    EXPECT_EQ(result.error, expected.error);
  }
}

INSTANTIATE_TEST_SUITE_P(Executors, GmresTest, every_executor(), executor_name);

}  // namespace
}  // namespace halocline
