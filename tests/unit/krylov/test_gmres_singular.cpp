// GMRES on singular matrices, where pivots of rounding must not spoil x, and after solves that failed.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "lib/krylov/krylov.hpp"
#include "tests/unit/executors.hpp"
#include "tests/unit/krylov/dense_operator.hpp"
#include "tests/unit/random_numbers.hpp"

namespace halocline {
namespace {

using Numbers = std::vector<double>;

template <class T>
struct Result {
  SolveReport report;
  Numbers x;
};

KrylovOptions with(double tolerance, int restart, Orthogonalization orthogonalization) {
  KrylovOptions options;
  options.tolerance = tolerance;
  options.max_iterations = 60;
  options.restart = restart;
  options.orthogonalization = orthogonalization;
  return options;
}

double size_of(const Numbers& v) {
  double square = 0;
  for (const double value : v) square += value * value;
  return std::sqrt(square);
}

// b - A x
Numbers residual(const Numbers& a, const Numbers& b, const Numbers& x) {
  Numbers r = b;
  for (std::size_t i = 0; i < b.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) r[i] -= a[i * b.size() + j] * x[j];
  return r;
}

// Diagonals -1, 2.3, -1; its first two rows are zero but for a_01 = 1.
Numbers with_jordan_block(std::size_t n) {
  Numbers a(n * n, 0.0);
  for (std::size_t i = 2; i < n; ++i) {
    a[i * n + i] = 2.3;
    a[i * n + i - 1] = -1;
    if (i + 1 < n) a[i * n + i + 1] = -1;
  }
  a[1] = 1;
  return a;
}

// Singular in one of three ways: a zero row, a zero column, or half the rank.
Numbers singular(int kind, std::size_t n, int seed) {
  Numbers a = random_numbers(n * n, static_cast<unsigned>(seed));
  const std::size_t zero = static_cast<std::size_t>(seed) % n;
  if (kind == 2) {
    for (std::size_t i = n / 2; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) a[i * n + j] = a[(i - n / 2) * n + j] - 0.5 * a[j];
  }
  for (std::size_t k = 0; k < n && kind != 2; ++k) a[kind == 0 ? zero * n + k : k * n + zero] = 0;
  return a;
}

Numbers rounded(const Numbers& values) {
  const std::vector<float> single(values.begin(), values.end());
  return {single.begin(), single.end()};
}

class SingularGmresTest : public OnEveryExecutor {
 protected:
  template <class T>
  Result<T> solve(const Numbers& a, const Numbers& b, const KrylovOptions& options) {
    const Team team({executor()}, 0, 1);
    const DenseOperator<T> A(comm_, team, static_cast<Index>(b.size()), a);
    Vector<T> x(A.space()), rhs(A.space());
    A.set(rhs, b);
    const auto solver = make_gmres<T>(A.space(), options);
    solver->begin(A, nullptr, rhs, x);
    EXPECT_TRUE(solver->iterate(1000));
    return {solver->report(), A.values(x)};
  }
  Communicator comm_{MPI_COMM_SELF};
};

constexpr Orthogonalization both[] = {Orthogonalization::classical_twice, Orthogonalization::modified};

// A b is what rounding leaves of zero.
TEST_P(SingularGmresTest, KeepsXWhereTheFirstColumnIsRounding) {
  const Numbers a{2, -0.5, -1.5, -1.5, 2, -0.5, -0.5, -1.5, 2};
  for (const auto how : both) {
    const auto result = solve<double>(a, {1, 1, 1}, with(1e-9, 30, how));
    EXPECT_TRUE(result.report.failed()) << words(result.report.status);
    EXPECT_DOUBLE_EQ(result.report.residual, 1);
    EXPECT_EQ(result.x, Numbers(3, 0.0));
  }
}

TEST_P(SingularGmresTest, LeavesOutColumnsThatSpoilTheRest) {
  const Numbers a = with_jordan_block(11);
  Numbers b(11);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = i % 2 == 0 ? 1 : -1;
  for (const auto how : both) {
    const auto result = solve<double>(a, b, with(1e-9, 30, how));
    EXPECT_TRUE(result.report.failed()) << words(result.report.status);
    EXPECT_LT(size_of(residual(a, b, result.x)) / size_of(b), 0.31) << "1 / sqrt(11) is the least of all";
    EXPECT_NEAR(size_of(residual(a, b, result.x)) / size_of(b), result.report.residual, 1e-12);
  }
}

template <class T>
void expect_honest(const Result<T>& result, const Numbers& a, const Numbers& b, double tolerance) {
  const double left = size_of(residual(a, b, result.x)) / size_of(b);
  const double noise = std::numeric_limits<T>::epsilon() * (1 + size_of(a) * size_of(result.x) / size_of(b));
  EXPECT_LE(left, 1 + 20 * noise);
  EXPECT_NEAR(left, result.report.residual, 10 * tolerance + 20 * noise) << words(result.report.status);
  if (result.report.converged()) {
    EXPECT_LE(left, 10 * tolerance);
  }
}

TEST_P(SingularGmresTest, NeverEndsAboveTheResidualItBeganWith) {
  for (int seed = 1; seed <= 20; ++seed) {
    const std::size_t n = seed % 3 == 0 ? 5 : (seed % 3 == 1 ? 12 : 16);
    const Numbers a = singular(seed % 4 == 3 ? 2 : seed % 4, n, seed), b = random_numbers(n, 7);
    const int restart = seed % 5 == 0 ? 1 : (seed % 5 == 1 ? 4 : 30);
    SCOPED_TRACE(seed);
    expect_honest(solve<double>(a, b, with(1e-9, restart, both[seed % 2])), a, b, 1e-9);
    const Numbers a_single = rounded(a), b_single = rounded(b);
    expect_honest(solve<float>(a_single, b_single, with(1e-4, restart, both[seed % 2])), a_single, b_single, 1e-4);
  }
}

// diag(1, 2, ...) on `used` of 16 places. The others are left alone, as operators may; one product has `bad` in it.
template <class T>
class FailsOnce final : public Operator<T> {
 public:
  FailsOnce(const Communicator& comm, const Team& team, Index used, int when, double bad)
      : used_(used), when_(when), bad_(bad) {
    VectorLayout layout;
    layout.rows = 2;
    layout.groups = {1};
    layout.lane_is_chunk = false;
    layout.used = {used};
    space_ = std::make_shared<VectorSpace>(comm, team, layout);
  }
  const VectorSpacePtr& space() const { return space_; }
  void apply(const Vector<T>& x, Vector<T>& y) const override {
    const std::vector<T> from = x.to_host(0);
    std::vector<T> to = y.to_host(0);
    for (Index i = 0; i < used_; ++i) to[i] = static_cast<T>(i + 1) * from[i];
    if (applied_++ == when_) to[3] = static_cast<T>(bad_);
    y.assign(0, to);
  }

 private:
  Index used_;
  int when_;
  double bad_;
  mutable int applied_ = 0;
  VectorSpacePtr space_;
};

TEST_P(SingularGmresTest, SolvesAgainAfterNumbersThatAreNone) {
  const Team team({executor()}, 0, 1);
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()})
    for (const int when : {1, 2, 4})
      for (const auto how : both) {
        const FailsOnce<double> A(comm_, team, 10, when, bad);
        Vector<double> x(A.space()), b(A.space());
        fill(b, 1);
        const auto solver = make_gmres<double>(A.space(), with(1e-9, 30, how));
        const auto fresh = make_gmres<double>(A.space(), with(1e-9, 30, how));
        solver->begin(A, nullptr, b, x);
        EXPECT_TRUE(solver->iterate(1000));
        EXPECT_EQ(solver->report().status, SolveStatus::not_finite);
        EXPECT_EQ(norm(x), 0) << "as it was";
        const std::array<KrylovSolver<double>*, 2> again{solver.get(), fresh.get()};
        std::array<std::vector<double>, 2> found;
        for (int which = 0; which < 2; ++which) {
          fill(x, 0);
          again[which]->begin(A, nullptr, b, x);
          EXPECT_TRUE(again[which]->iterate(1000));
          EXPECT_EQ(again[which]->report().status, SolveStatus::converged);
          found[which] = x.to_host(0);
        }
        EXPECT_EQ(found[0], found[1]) << "bits of a fresh solver";
        EXPECT_EQ(solver->report().history, fresh->report().history);
      }
}

TEST_P(SingularGmresTest, SolversDoNotShareAPreconditionerUnnoticed) {
  const Team team({executor()}, 0, 1);
  const FailsOnce<double> A(comm_, team, 10, -1, 0), M(comm_, team, 10, -1, 0);
  Vector<double> x(A.space()), y(A.space()), b(A.space());
  fill(b, 1);
  const auto first = make_gmres<double>(A.space(), with(1e-9, 30, Orthogonalization::modified));
  const auto second = make_gmres<double>(A.space(), with(1e-9, 30, Orthogonalization::modified));
  first->begin(A, &M, b, x);
  EXPECT_FALSE(first->iterate(2));
  second->begin(A, &M, b, y);
  EXPECT_FALSE(second->iterate(2));
  EXPECT_THROW(first->iterate(1), InternalError);
  EXPECT_TRUE(second->iterate(1000));
  EXPECT_TRUE(second->report().converged());
  first->begin(A, &M, b, x);  // one after the other is right
  EXPECT_TRUE(first->iterate(1000));
  EXPECT_EQ(x.to_host(0), y.to_host(0));
}

INSTANTIATE_TEST_SUITE_P(Executors, SingularGmresTest, every_executor(), executor_name);

}  // namespace
}  // namespace halocline
