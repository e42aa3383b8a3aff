// Iterative refinement: outer residuals in double, corrections by Krylov methods in float. Where float alone stagnates,
// refinement reaches the precision of double.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "lib/krylov/krylov.hpp"
#include "lib/linalg/lapack.hpp"
#include "tests/unit/executors.hpp"
#include "tests/unit/krylov/dense_operator.hpp"
#include "tests/unit/memory_archive.hpp"
#include "tests/unit/random_numbers.hpp"

namespace halocline {
namespace {

constexpr Index n = 12;

// The third power of differences of convection and diffusion: condition 1e5, which float feels and double does not.
std::vector<double> ill_conditioned() {
  std::vector<double> d(n * n, 0.0);
  for (Index i = 0; i < n; ++i) {
    d[i * n + i] = 2;
    if (i > 0) d[i * n + i - 1] = -1.05;
    if (i + 1 < n) d[i * n + i + 1] = -0.95;
  }
  const auto times_d = [&d](const std::vector<double>& a) {
    std::vector<double> product(n * n, 0.0);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        for (Index k = 0; k < n; ++k) product[i * n + j] += a[i * n + k] * d[k * n + j];
    return product;
  };
  return times_d(times_d(d));
}

// c = roughly A^-1 r: r in float, GMRES in float to 1e-2, times `factor`. Counts, and keeps the largest and the least
// norm that it was given.
class FloatCorrection final : public Operator<double> {
 public:
  FloatCorrection(const DenseOperator<double>& A, const Communicator& comm, const Team& team, double factor = 1)
      : A_(A), single_(comm, team, n, A.matrix()), b_(single_.space()), x_(single_.space()), factor_(factor) {
    KrylovOptions options;
    options.tolerance = 1e-2;
    options.max_iterations = 40;
    solver_ = make_gmres<float>(single_.space(), options);
  }
  void apply(const Vector<double>& r, Vector<double>& c) const override {
    const double size = norm(r);
    largest = std::max(largest, size);
    least = std::min(least, size);
    ++applied;
    single_.set(b_, A_.values(r));
    fill(x_, 0);
    solver_->begin(single_, nullptr, b_, x_);
    while (!solver_->iterate(10)) {
    }
    std::vector<double> values = single_.values(x_);
    for (double& value : values) value *= factor_;
    A_.set(c, values);
  }
  mutable double largest = 0, least = std::numeric_limits<double>::infinity();
  mutable int applied = 0;

 private:
  const DenseOperator<double>& A_;
  DenseOperator<float> single_;
  mutable Vector<float> b_, x_;
  double factor_;
  std::unique_ptr<KrylovSolver<float>> solver_;
};

class Archive final : public VectorArchive<double> {
  void vector(const char* name, Vector<double>& /*x*/) const override { FAIL() << name << " follows from x"; }
};

class RefinementTest : public OnEveryExecutor {
 protected:
  RefinementTest()
      : team_({executor()}, 0, 1), A_(comm_, team_, n, ill_conditioned()), b_(A_.space()), x_(A_.space()) {}

  // Sets b to `size` times random numbers; the solution by LAPACK.
  std::vector<double> set_system(double size = 1) {
    std::vector<double> b = random_numbers(n, 5);
    for (double& value : b) value *= size;
    A_.set(b_, b);
    DenseLu(n, A_.matrix()).solve(b.data());
    return b;
  }
  SolveReport solve(const Operator<double>& M, const KrylovOptions& options) {
    const auto solver = make_refinement(A_.space(), options);
    solver->begin(A_, &M, b_, x_);
    while (!solver->iterate(2)) {
    }
    return solver->report();
  }
  double error(const std::vector<double>& expected) const {
    const std::vector<double> x = A_.values(x_);
    double largest = 0, difference = 0;
    for (Index i = 0; i < n; ++i) {
      largest = std::max(largest, std::abs(expected[i]));
      difference = std::max(difference, std::abs(x[i] - expected[i]));
    }
    return difference / largest;
  }

  Communicator comm_{MPI_COMM_SELF};
  Team team_;
  DenseOperator<double> A_;
  Vector<double> b_, x_;
};

KrylovOptions with(double tolerance, int stagnation = 10) {
  KrylovOptions options;
  options.tolerance = tolerance;
  options.stagnation = stagnation;
  options.max_iterations = 100;
  return options;
}

TEST_P(RefinementTest, ReachesDoublePrecisionWithCorrectionsInFloat) {
  const std::vector<double> expected = set_system();
  const DenseOperator<float> single(comm_, team_, n, ill_conditioned());
  Vector<float> b(single.space()), x(single.space());
  single.set(b, A_.values(b_));
  KrylovOptions options = with(1e-11);
  options.confirm = true;
  const auto alone = make_gmres<float>(single.space(), options);
  alone->begin(single, nullptr, b, x);
  while (!alone->iterate(10)) {
  }
  EXPECT_FALSE(alone->report().converged());
  A_.set(x_, single.values(x));
  EXPECT_GT(error(expected), 1e-7);
  fill(x_, 0);
  const FloatCorrection M(A_, comm_, team_);
  const SolveReport report = solve(M, with(1e-11));
  EXPECT_TRUE(report.converged()) << words(report.status);
  EXPECT_LT(error(expected), 1e-9);
  EXPECT_GE(report.iterations, 3);
  EXPECT_LE(report.iterations, 6);
  EXPECT_EQ(M.applied, report.iterations);
  EXPECT_EQ(report.history.size(), static_cast<std::size_t>(report.iterations) + 1);
  EXPECT_EQ(report.history.front(), 1);
}

TEST_P(RefinementTest, CorrectionsGetResidualsOfSizeOneWhateverTheSizeOfB) {
  std::vector<double> histories[3];
  int k = 0;
  for (const double size : {1.0, 0x1p-200, 0x1p300}) {
    const std::vector<double> expected = set_system(size);
    fill(x_, 0);
    const FloatCorrection M(A_, comm_, team_);
    const SolveReport report = solve(M, with(1e-11));
    EXPECT_TRUE(report.converged());
    EXPECT_LT(error(expected), 1e-9);
    EXPECT_GE(M.least, 1);
    EXPECT_LT(M.largest, 2);
    histories[k++] = report.history;
  }
  EXPECT_EQ(histories[0], histories[1]) << "a power of two changes no digit";
  EXPECT_EQ(histories[0], histories[2]);
}

TEST_P(RefinementTest, TheToleranceIsRelativeToTheFirstResidual) {
  set_system();
  std::vector<double> far(n, 1e6);
  A_.set(x_, far);
  const FloatCorrection M(A_, comm_, team_);
  const SolveReport report = solve(M, with(1e-3));
  EXPECT_TRUE(report.converged());
  EXPECT_LE(report.iterations, 2);
  EXPECT_EQ(report.history.front(), 1);
  Vector<double> r(A_.space());
  A_.residual(b_, x_, r);
  EXPECT_GT(norm(r), 1e-3 * norm(b_));
}

TEST_P(RefinementTest, FindsOutThatThereIsNoProgress) {
  set_system();
  const FloatCorrection M(A_, comm_, team_);
  const SolveReport out_of_reach = solve(M, with(1e-30));
  EXPECT_EQ(out_of_reach.status, SolveStatus::stagnated);
  EXPECT_LT(out_of_reach.residual, 1e-11);
  // The wrong way round: the residual doubles with every correction.
  fill(x_, 0);
  const FloatCorrection wrong(A_, comm_, team_, -1);
  const SolveReport diverging = solve(wrong, with(1e-10));
  EXPECT_EQ(diverging.status, SolveStatus::stagnated);
  EXPECT_EQ(diverging.iterations, 10);
  fill(x_, 0);
  KrylovOptions limited = with(1e-10, 0);
  limited.divergence = 100;
  const FloatCorrection again(A_, comm_, team_, -1);
  EXPECT_EQ(solve(again, limited).status, SolveStatus::diverged);
}

TEST_P(RefinementTest, NumbersThatAreNoneAndZeroEndIt) {
  set_system();
  const FloatCorrection nan(A_, comm_, team_, std::nan(""));
  const SolveReport report = solve(nan, with(1e-10));
  EXPECT_EQ(report.status, SolveStatus::not_finite);
  EXPECT_EQ(report.iterations, 1);
  fill(b_, 0);
  const FloatCorrection M(A_, comm_, team_);
  EXPECT_EQ(solve(M, with(1e-10)).status, SolveStatus::zero_rhs);
  EXPECT_EQ(M.applied, 0);
  EXPECT_THROW(make_refinement(A_.space(), {})->begin(A_, nullptr, b_, x_), InternalError);
}

TEST_P(RefinementTest, ARestoredSolveGoesOnWithTheSameBits) {
  set_system();
  const FloatCorrection M(A_, comm_, team_);
  const SolveReport whole = solve(M, with(1e-11));
  const std::vector<double> expected = A_.values(x_);
  fill(x_, 0);
  MemoryArchive state;
  const auto first = make_refinement(A_.space(), with(1e-11));
  first->begin(A_, &M, b_, x_);
  EXPECT_FALSE(first->iterate(2));
  first->archive(state, Archive());
  const std::vector<double> reached = A_.values(x_);
  state.restore_from_now_on();
  fill(x_, 0);
  const auto second = make_refinement(A_.space(), with(1e-11));
  second->begin(A_, &M, b_, x_);
  second->archive(state, Archive());
  A_.set(x_, reached);
  while (!second->iterate(1)) {
  }
  EXPECT_EQ(second->report().history, whole.history);
  EXPECT_EQ(A_.values(x_), expected);
}

INSTANTIATE_TEST_SUITE_P(Executors, RefinementTest, every_executor(), executor_name);

}  // namespace
}  // namespace halocline
