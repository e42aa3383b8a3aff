// Inverses by elimination on every executor against those of LAPACK, and matrices that it must leave to LAPACK.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "lib/base/hash.hpp"
#include "lib/linalg/elimination.hpp"
#include "lib/linalg/lapack.hpp"
#include "tests/unit/executors.hpp"

namespace halocline {
namespace {

double random_value(Index n) { return 2 * u01(static_cast<unsigned long long>(n)) - 1; }

// A membrane with springs: symmetric positive definite, condition about 8/springs. `wind` makes it unsymmetric.
std::vector<double> membrane(Index side, double springs, double wind = 0) {
  const Index n = side * side;
  std::vector<double> a(static_cast<std::size_t>(n * n), 0);
  const auto couple = [&](Index i, Index j, double size) {
    a[i * n + j] -= size;
    a[i * n + i] += size;
  };
  for (Index y = 0; y < side; ++y)
    for (Index x = 0; x < side; ++x) {
      const Index i = y * side + x;
      a[i * n + i] += springs;
      if (x > 0) couple(i, i - 1, 1 + wind);
      if (x + 1 < side) couple(i, i + 1, 1);
      if (y > 0) couple(i, i - side, 1);
      if (y + 1 < side) couple(i, i + side, 1);
    }
  return a;
}

double largest(const std::vector<double>& values) {
  double size = 0;
  for (const double value : values) size = std::max(size, std::abs(value));
  return size;
}
double largest_difference(std::vector<double> a, const std::vector<double>& b) {
  for (std::size_t n = 0; n < a.size(); ++n) a[n] -= b[n];
  return largest(a);
}

using EliminationTest = OnEveryExecutor;

TEST_P(EliminationTest, AgreesWithLapack) {
  for (const auto& [springs, wind] : {std::pair{1.0, 0.0}, {1e-3, 0.0}, {1e-3, 100.0}, {1e-9, 0.0}, {-0.1, 100.0}}) {
    constexpr Index side = 9, n = side * side;
    const std::vector<double> a = membrane(side, springs, wind), expected = invert(n, a);
    const auto inverse = invert_by_elimination(executor(), n, a);
    ASSERT_TRUE(inverse) << springs << ", " << wind;
    const double condition = largest(a) * largest(expected) * n;
    EXPECT_LE(largest_difference(*inverse, expected),
              16 * condition * std::numeric_limits<double>::epsilon() * largest(expected))
        << springs << ", " << wind;
  }
}

TEST_P(EliminationTest, SmallMatrices) {
  EXPECT_EQ(invert_by_elimination(executor(), 0, {})->size(), 0U);
  EXPECT_EQ(*invert_by_elimination(executor(), 1, {-4}), std::vector<double>{-0.25});
  const auto inverse = invert_by_elimination(executor(), 2, {1, 2, 3, 4});
  ASSERT_TRUE(inverse);
  EXPECT_NEAR((*inverse)[1], 1, 1e-14);
  EXPECT_NEAR((*inverse)[2], 1.5, 1e-14);
}

// Pivots that are zero or small beside what they eliminate, singular matrices, and values that are not finite.
TEST_P(EliminationTest, LeavesTheRestToLapack) {
  EXPECT_FALSE(invert_by_elimination(executor(), 2, {0, 1, 1, 0}));
  EXPECT_FALSE(invert_by_elimination(executor(), 2, {1e-20, 1, 1, 1}));
  EXPECT_FALSE(invert_by_elimination(executor(), 2, {1, 2, 2, 4}));
  EXPECT_FALSE(invert_by_elimination(executor(), 2, {1, NAN, 0, 1}));
  EXPECT_FALSE(invert_by_elimination(executor(), 2, {1, INFINITY, 0, 1}));
  EXPECT_FALSE(invert_by_elimination(executor(), 9, membrane(3, 0)));
  constexpr Index n = 60;
  std::vector<double> random(static_cast<std::size_t>(n * n));
  for (Index i = 0; i < n * n; ++i) random[i] = random_value(i);
  for (Index i = 0; i < n; ++i) random[i * n + i] *= 1e-8;  // small pivots
  EXPECT_FALSE(invert_by_elimination(executor(), n, random));
}

INSTANTIATE_TEST_SUITE_P(Executors, EliminationTest, every_executor(), executor_name);

}  // namespace
}  // namespace halocline
