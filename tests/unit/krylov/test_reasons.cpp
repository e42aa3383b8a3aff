// Why solves end: every reason of SolveStatus, by a system that must lead to it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "tests/unit/executors.hpp"
#include "tests/unit/krylov/chunk_matrix.hpp"
#include "tests/unit/krylov/variants.hpp"

namespace halocline {
namespace {

constexpr Index total = 3 * chunk_rows + 17;
const char* const methods[] = {"cg", "fcg", "bicgstab", "fused cg", "fused fcg", "fused bicgstab"};

double one(Index) { return 1; }

// A matrix whose product is another one when sums are asked for, so that recursive residuals leave the true ones.
class Wavering final : public Operator<double> {
 public:
  explicit Wavering(const ChunkMatrix<double>& A) : A_(A) {}
  void apply(const Vector<double>& x, Vector<double>& y) const override { A_.apply(x, y); }
  Dots apply_with_dots(const Vector<double>& x, Vector<double>& y, const Vector<double>& w) const override {
    waver(x, y);
    const Dots sums = dots(y, w);
    return {.yy = sums.xx, .yw = sums.xy};
  }
  Dots apply_with_energy(const Vector<double>& x, Vector<double>& y, const Vector<double>& w) const override {
    waver(x, y);
    return {.xy = dots(x, y).xy, .xw = dots(x, w).xy};
  }
  EnergySums apply_with_energy_sums(const Vector<double>& u, Vector<double>& w, const Vector<double>& r,
                                    const Vector<double>* q) const override {
    waver(u, w);
    return q != nullptr ? energy_sums(u, w, r, *q) : energy_sums(u, w, r);
  }
  StepSums apply_with_step_sums(const Vector<double>& x, Vector<double>& t, const Vector<double>& s,
                                const Vector<double>& r0) const override {
    waver(x, t);
    return step_sums(t, s, r0);
  }

 private:
  void waver(const Vector<double>& x, Vector<double>& y) const {
    A_.apply(x, y);
    combine(0.01, x, 1, 0, x, y);
  }
  const ChunkMatrix<double>& A_;
};

class ReasonsTest : public OnEveryExecutor {
 protected:
  SolveReport solve(const char* method, const Operator<double>& A, const Operator<double>* M,
                    const KrylovOptions& options = {.tolerance = 1e-10, .max_iterations = 300}) {
    const auto solver = make_variant<double>(method, rows_.space, options);
    solver->begin(A, M, b_, x_);
    EXPECT_TRUE(solver->iterate(1000));
    return solver->report();
  }
  SolveStatus status(const char* method, const Operator<double>& A, const Operator<double>* M = nullptr,
                     const KrylovOptions& options = {.tolerance = 1e-10, .max_iterations = 300}) {
    rows_.set(b_, one);
    fill(x_, 0);
    return solve(method, A, M, options).status;
  }

  Communicator comm_{MPI_COMM_SELF};
  Team team_{make_test_executors(GetParam(), 1), 0, 1};
  ChunkRows rows_{comm_, team_, total};
  Vector<double> b_{rows_.space}, x_{rows_.space};
  ChunkMatrix<double> A_{rows_, MatrixShape{}};
};

TEST_P(ReasonsTest, ConvergenceAndLimits) {
  for (const char* method : methods) {
    EXPECT_EQ(status(method, A_), SolveStatus::converged) << method;
    EXPECT_EQ(status(method, A_, nullptr, {.tolerance = 1e-10, .max_iterations = 2}), SolveStatus::max_iterations);
    EXPECT_EQ(status(method, A_, nullptr, {.tolerance = 0, .max_iterations = 300, .absolute_tolerance = 1e-3}),
              SolveStatus::converged);
    EXPECT_LT(norm(b_), 20);  // so that the absolute one has been the larger one of the two
    const KrylovOptions impatient{.tolerance = 1e-10, .max_iterations = 300, .divergence = 1e-3};
    EXPECT_EQ(status(method, A_, nullptr, impatient), SolveStatus::diverged) << method;
  }
}

TEST_P(ReasonsTest, LimitsMayChangeFromSolveToSolve) {
  for (const char* method : methods) {
    const auto solver = make_variant<double>(method, rows_.space, {.tolerance = 1e-2, .max_iterations = 300});
    rows_.set(b_, one);
    fill(x_, 0);
    solver->begin(A_, nullptr, b_, x_);
    ASSERT_TRUE(solver->iterate(1000));
    EXPECT_GT(solver->report().residual, 1e-6) << method;
    solver->set_limits(1e-10, 300);
    solver->begin(A_, nullptr, b_, x_);
    ASSERT_TRUE(solver->iterate(1000));
    EXPECT_LE(solver->report().residual, 1e-10) << method;
    solver->set_limits(1e-14, 1);
    solver->begin(A_, nullptr, b_, x_);
    ASSERT_TRUE(solver->iterate(1000));
    EXPECT_EQ(solver->report().status, SolveStatus::max_iterations) << method;
  }
}

TEST_P(ReasonsTest, AZeroRightHandSideHasAZeroSolution) {
  for (const char* method : methods) {
    fill(b_, 0);
    rows_.set(x_, one);
    const SolveReport report = solve(method, A_, nullptr);
    EXPECT_EQ(report.status, SolveStatus::zero_rhs) << method;
    EXPECT_EQ(report.iterations, 0);
    EXPECT_EQ(norm(x_), 0) << method;
    // Numbers whose squares vanish are no zeros.
    rows_.set(b_, [](Index) { return 1e-200; });
    EXPECT_EQ(solve(method, A_, nullptr).status, SolveStatus::breakdown) << method;
  }
}

TEST_P(ReasonsTest, NumbersThatAreNone) {
  const Multiple<double> undefined(std::nan(""));
  for (const char* method : methods) {
    for (const double value : {std::nan(""), std::numeric_limits<double>::infinity()}) {
      rows_.set(b_, [value](Index i) { return i == 100 ? value : 1.0; });
      fill(x_, 0);
      EXPECT_EQ(solve(method, A_, nullptr).status, SolveStatus::not_finite) << method << ", " << value;
    }
    EXPECT_EQ(status(method, A_, &undefined), SolveStatus::not_finite) << method;
    EXPECT_EQ(status(method, undefined), SolveStatus::not_finite) << method;
  }
}

TEST_P(ReasonsTest, ConjugateGradientsFindThatOperatorsAreIndefinite) {
  const ChunkMatrix<double> indefinite(rows_, MatrixShape{.shift = -1, .wave = 0});
  const ChunkMatrix<double> singular(rows_, MatrixShape{.shift = 0, .wave = 1, .coupling = 0});
  const Multiple<double> negative(-0.5);
  for (const char* method : {"cg", "fcg", "fused cg", "fused fcg"}) {
    EXPECT_EQ(status(method, indefinite), SolveStatus::indefinite_matrix) << method;
    EXPECT_EQ(status(method, A_, &negative), SolveStatus::indefinite_preconditioner) << method;
  }
  for (const char* method : {"cg", "fused cg"})
    EXPECT_EQ(status(method, singular), SolveStatus::indefinite_matrix) << method;
  for (const char* method : {"bicgstab", "fused bicgstab"})
    EXPECT_EQ(status(method, indefinite), SolveStatus::converged) << method;
}

TEST_P(ReasonsTest, BiCgStabBreaksDown) {
  const Multiple<double> nothing(0);
  for (const char* method : {"bicgstab", "fused bicgstab"}) {
    rows_.set(b_, one);
    fill(x_, 0);
    const SolveReport report = solve(method, nothing, nullptr);
    EXPECT_EQ(report.status, SolveStatus::breakdown) << method;
    EXPECT_EQ(report.restarts, 3) << method;
  }
}

TEST_P(ReasonsTest, ProgressThatEnds) {
  // A condition of 1e4: residuals grow in some iterations, never in fifty together.
  const ChunkMatrix<double> stiff(rows_, MatrixShape{.shift = 0.1, .wave = 200});
  for (const char* method : methods) {
    KrylovOptions options{.tolerance = 1e-10, .max_iterations = 300, .stagnation = 50};
    EXPECT_EQ(status(method, stiff, nullptr, options), SolveStatus::converged) << method;
    options.stagnation = 1;
    rows_.set(b_, one);
    fill(x_, 0);
    const SolveReport report = solve(method, stiff, nullptr, options);
    EXPECT_EQ(report.status, SolveStatus::stagnated) << method;
    const auto last = report.history.end() - 1;
    EXPECT_GT(*last, 0.999 * *std::min_element(report.history.begin(), last)) << method;
    for (auto other = report.history.begin() + 1; other != last; ++other) EXPECT_LE(*other, 0.999 * other[-1]);
  }
}

TEST_P(ReasonsTest, ResidualsAreConfirmed) {
  const Wavering wavering(A_);
  const KrylovOptions believing{.tolerance = 1e-10, .max_iterations = 300};
  const KrylovOptions confirming{.tolerance = 1e-10, .max_iterations = 300, .confirm = true};
  for (const char* method : methods) {
    EXPECT_EQ(status(method, wavering, nullptr, believing), SolveStatus::converged) << method;
    rows_.set(b_, one);
    fill(x_, 0);
    const SolveReport report = solve(method, wavering, nullptr, confirming);
    EXPECT_EQ(report.status, SolveStatus::stagnated) << method;
    EXPECT_EQ(report.restarts, 1) << method;
    EXPECT_GT(report.residual, 1e-6) << method;
    EXPECT_EQ(status(method, A_, nullptr, confirming), SolveStatus::converged) << method;
    Vector<double> r(rows_.space);
    A_.apply(x_, r);
    axpy(-1, b_, r);
    EXPECT_LE(norm(r), 1e-10 * norm(b_) * 10) << method;
  }
}

// With conditions of 1e10 residuals computed from x become as small by fused sums as by separate ones, and those that
// are reported say so.
TEST_P(ReasonsTest, FusedSumsAttainWhatSeparateOnesDo) {
  for (const char* method : {"cg", "fcg", "bicgstab"})
    for (const double wave : {20.0, 2e9}) {
      const ChunkMatrix<double> A(rows_, {.skew = std::string(method) == "bicgstab" ? 0.4 : 0.0, .wave = wave});
      std::vector<double> attained;
      for (const std::string& variant : {std::string(method), "fused " + std::string(method)}) {
        rows_.set(b_, [](Index i) { return std::sin(0.7 * static_cast<double>(i)) + 0.2; });
        fill(x_, 0);
        const SolveReport report =
            solve(variant.c_str(), A, nullptr, {.tolerance = 1e-15, .max_iterations = 400, .confirm = true});
        EXPECT_NE(report.status, SolveStatus::not_finite) << variant;
        Vector<double> r(rows_.space);
        A.residual(b_, x_, r);
        attained.push_back(norm(r) / norm(b_));
        if (report.converged()) {
          EXPECT_LE(attained.back(), 1e-14) << variant;
        }
      }
      EXPECT_LE(attained[1], 3 * attained[0] + 1e-15) << method << ", " << wave;
    }
}

TEST_P(ReasonsTest, EveryReasonHasWords) {
  for (int reason = 0; reason <= static_cast<int>(SolveStatus::breakdown); ++reason)
    for (int other = 0; other < reason; ++other)
      EXPECT_STRNE(words(static_cast<SolveStatus>(reason)), words(static_cast<SolveStatus>(other)));
}

INSTANTIATE_TEST_SUITE_P(Executors, ReasonsTest, every_executor(), executor_name);

}  // namespace
}  // namespace halocline
