// Solvers of the coarsest level against a dense solution: places, unknowns that are expanded, singular systems.
#include <gtest/gtest.h>

#include "lib/multigrid/coarsest.hpp"
#include "tests/unit/executors.hpp"
#include "tests/unit/random_numbers.hpp"

namespace halocline::multigrid {
namespace {

constexpr Index n = 40, band = 3;

// Banded, rows of unequal size, by columns.
std::vector<double> matrix() {
  const auto random = random_numbers(n * n, 1);
  std::vector<double> a(random.size(), 0.0);
  for (Index i = 0; i < n; ++i)
    for (Index j = std::max<Index>(0, i - band); j <= std::min(n - 1, i + band); ++j)
      a[j * n + i] = random[j * n + i] + (i == j ? 5 : 0);
  return a;
}

BandedMatrix banded(const std::vector<double>& a) {
  BandedMatrix b(n, band, band);
  for (Index i = 0; i < n; ++i)
    for (Index j = std::max<Index>(0, i - band); j <= std::min(n - 1, i + band); ++j) b.at(i, j) = a[j * n + i];
  return b;
}

// Every third place holds an equation; the solution gives x_i and 2 x_i, backwards.
CoarsestLayout layout(bool expands) {
  CoarsestLayout places;
  for (Index i = 0; i < n; ++i) places.equations.push_back(3 * i + 1);
  if (!expands) {
    places.values = places.equations;
    return places;
  }
  for (Index i = 0; i < 2 * n; ++i) places.values.push_back(127 - i);
  places.expand = [](std::span<const double> x) {
    std::vector<double> twice(x.begin(), x.end());
    for (const double value : x) twice.push_back(2 * value);
    return twice;
  };
  return places;
}

class CoarsestTest : public OnEveryExecutor {
 protected:
  CoarsestTest() : team_(make_test_executors(GetParam(), 2), 0, 2) {
    space_ = std::make_shared<VectorSpace>(comm_, team_, VectorLayout{{8, 8}, 2});
  }

  template <class T>
  void check(CoarsestSolver<T>& solver, const CoarsestLayout& places) {
    const auto f = random_numbers(128, 2);
    std::vector<double> x;
    for (const Index place : places.equations) x.push_back(f[place]);
    BandedLu(banded(matrix())).solve(x.data());
    const auto expected = places.expand ? places.expand(x) : x;
    Vector<T> right(space_), u(space_);
    const std::vector<T> rounded(f.begin(), f.end());
    for (int p = 0; p < 2; ++p) right.assign(p, rounded);
    for (int pass = 0; pass < 2; ++pass) solver.solve(right, u);
    for (int p = 0; p < 2; ++p) {
      auto found = u.to_host(p);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_NEAR(found[places.values[i]], expected[i], sizeof(T) == 4 ? 1e-6 : 1e-14) << i;
        found[places.values[i]] = 0;
      }
      EXPECT_EQ(found, std::vector<T>(128, T{0}));
    }
  }

  template <class T>
  void check_both() {
    for (const bool expands : {false, true}) {
      const CoarsestLayout places = layout(expands);
      check(*make_dense_inverse<T>(space_, places, matrix()), places);
      check(*make_banded_solver<T>(space_, places, banded(matrix())), places);
    }
  }

  Communicator comm_{MPI_COMM_SELF};
  Team team_;
  VectorSpacePtr space_;
};

TEST_P(CoarsestTest, SolvesInDouble) { check_both<double>(); }
TEST_P(CoarsestTest, SolvesInSingle) { check_both<float>(); }

TEST_P(CoarsestTest, RefusesSingularSystems) {
  std::vector<double> a = matrix();
  for (Index i = 0; i < n; ++i) a[7 * n + i] = 0;
  EXPECT_THROW(make_dense_inverse<float>(space_, layout(false), a), NumericalError);
  EXPECT_THROW(make_banded_solver<float>(space_, layout(false), banded(a)), NumericalError);
}

// The graph of a chain without ground, f of mean zero: the solution of mean zero. The same with 1e-9 on the diagonal,
// for f of any mean: the mean of the solution is that of f over 1e-9, and what varies is as before, in fp32 too.
TEST_P(CoarsestTest, SolvesSingularSystemsAndNearlySingularOnes) {
  const CoarsestLayout places = layout(false);
  std::vector<double> a(n * n, 0.0), u(n), f(128, 0.0);
  for (Index i = 0; i < n; ++i) u[i] = std::cos(static_cast<double>(i));
  double mean = 0;
  for (const double value : u) mean += value / n;
  for (double& value : u) value -= mean;
  for (Index i = 0; i + 1 < n; ++i) {
    a[i * n + i] += 0.5;
    a[(i + 1) * n + i + 1] += 0.5;
    a[i * n + i + 1] = a[(i + 1) * n + i] = -0.5;
  }
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) f[places.equations[i]] += a[j * n + i] * u[j];
  EXPECT_THROW(make_dense_inverse<double>(space_, places, a), NumericalError);
  for (const double shift : {0.0, 1e-9}) {
    for (Index i = 0; i < n; ++i) a[i * n + i] += shift;
    const auto solver = make_dense_inverse<float>(space_, places, a, InverseBy::host, IfSingular::least_squares);
    Vector<float> right(space_), found(space_);
    for (int p = 0; p < 2; ++p) right.assign(p, std::vector<float>(f.begin(), f.end()));
    solver->solve(right, found);
    const auto values = found.to_host(1);
    double of_found = 0, most = 0;
    for (const Index place : places.values) of_found += values[place] / n;
    for (Index i = 0; i < n; ++i) most = std::max(most, std::abs(values[places.values[i]] - of_found - u[i]));
    EXPECT_LT(most, shift == 0 ? 1e-5 : 1e-4);
    if (shift == 0) {
      EXPECT_NEAR(of_found, 0, 1e-5);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Executors, CoarsestTest, every_executor(), executor_name);

}  // namespace
}  // namespace halocline::multigrid
