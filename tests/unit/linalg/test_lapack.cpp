// Dense algebra against its definitions: residuals, orthogonality; banded against dense.
#include <gtest/gtest.h>

#include <cmath>

#include "lib/base/error.hpp"
#include "lib/linalg/lapack.hpp"
#include "tests/unit/random_numbers.hpp"

namespace halocline {
namespace {

TEST(Lapack, PencilVectorsAreOrthonormalAndSolveIt) {
  const Index n = 12;
  const auto raw = random_numbers(n * n, 4), root = random_numbers(n * n, 5);
  std::vector<double> a(raw), m(raw.size());
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      a[i * n + j] = raw[i * n + j] + raw[j * n + i];
      m[i * n + j] = i == j ? 1 : 0;
      for (Index l = 0; l < n; ++l) m[i * n + j] += root[i * n + l] * root[j * n + l];
    }
  const PencilEigenvalues pencil = solve_pencil(n, a, m, 2);
  const auto form = [n](const std::vector<double>& matrix, const double* x, const double* y) {
    double sum = 0;
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) sum += x[i] * matrix[i * n + j] * y[j];
    return sum;
  };
  for (Index p = 0; p < n; ++p)
    for (Index q = 0; q < n; ++q) {
      const double *x = &pencil.vectors[p * n], *y = &pencil.vectors[q * n];
      EXPECT_NEAR(form(m, x, y), p == q ? 1 : 0, 1e-12);
      EXPECT_NEAR(form(a, x, y), p == q ? pencil.values[p] : 0, 1e-12);
    }
  m[0] = -1;
  EXPECT_THROW(solve_pencil(n, a, m, 1), NumericalError);
}

TEST(Lapack, LuSolvesAndRefusesSingularMatrices) {
  const Index n = 9;
  const auto a = random_numbers(n * n, 6), x = random_numbers(n, 7);
  std::vector<double> b(x.size(), 0.0);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) b[i] += a[i * n + j] * x[j];
  DenseLu(n, a).solve(b.data());
  for (Index i = 0; i < n; ++i) EXPECT_NEAR(b[i], x[i], 1e-12);
  EXPECT_THROW(DenseLu(2, {1, 2, 2, 4}), NumericalError);
}

// By rows and by columns: A^-1 A = 1 in either order.
TEST(Lapack, InvertsAndRefusesSingularMatrices) {
  const Index n = 9;
  const auto a = random_numbers(n * n, 10);
  const auto inverse = invert(n, a);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      double by_rows = 0, by_columns = 0;
      for (Index k = 0; k < n; ++k) {
        by_rows += inverse[i * n + k] * a[k * n + j];
        by_columns += inverse[k * n + i] * a[j * n + k];
      }
      EXPECT_NEAR(by_rows, i == j ? 1 : 0, 1e-12);
      EXPECT_NEAR(by_columns, i == j ? 1 : 0, 1e-12);
    }
  EXPECT_THROW(invert(2, {1, 2, 2, 4}), NumericalError);
  EXPECT_THROW(invert(2, {1, 1, 1, 1 + 4e-16}), NumericalError);
}

// A x = b has the shortest solution there is, and what has none is taken away: known singular vectors.
TEST(Lapack, PseudoInvertsByTheSingularVectors) {
  const double c = 0.6, s = 0.8;
  // 3 (c, s) (s, -c)^T, rank 1: the pseudo-inverse is (s, -c) (c, s)^T / 3.
  const std::vector<double> a{3 * c * s, -3 * c * c, 3 * s * s, -3 * s * c}, expected{s * c, s * s, -c * c, -c * s};
  const auto inverse = pseudo_inverse(2, a, 1e-13);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(inverse[i], expected[i] / 3, 1e-15);
  const Index n = 9;
  const auto regular = random_numbers(n * n, 10), right = invert(n, regular), found = pseudo_inverse(n, regular, 1e-13);
  for (std::size_t i = 0; i < right.size(); ++i) EXPECT_NEAR(found[i], right[i], 1e-12);
  EXPECT_EQ(pseudo_inverse(2, std::vector<double>(4, 0), 1e-13), std::vector<double>(4, 0));
}

// Bands of either side alone and of both, unequal; none; as wide as the matrix. Rows that need exchanges: the diagonal
// is small.
TEST(Lapack, BandedLuAgreesWithDense) {
  struct Case {
    Index size, below, above;
  };
  for (const Case& c : {Case{1, 0, 0}, {7, 0, 0}, {12, 2, 2}, {12, 3, 1}, {11, 1, 4}, {9, 2, 0}, {6, 5, 5}}) {
    const auto random = random_numbers(c.size * c.size, 8);
    std::vector<double> dense(random.size(), 0.0);
    BandedMatrix banded(c.size, c.below, c.above);
    for (Index i = 0; i < c.size; ++i)
      for (Index j = std::max<Index>(0, i - c.below); j <= std::min(c.size - 1, i + c.above); ++j)
        banded.at(i, j) = dense[i * c.size + j] =
            random[i * c.size + j] * (i == j && c.below > 0 && c.above > 0 ? 1e-3 : 1);
    const BandedLu lu(std::move(banded));
    ASSERT_EQ(lu.size(), c.size);
    const DenseLu reference(c.size, dense);
    const auto b = random_numbers(3 * c.size, 9);
    std::vector<double> x = b, y = b;
    lu.solve(x.data(), 2);
    lu.solve(x.data() + 2 * c.size);
    for (Index column = 0; column < 3; ++column) reference.solve(&y[column * c.size]);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 1e-11 * (1 + std::abs(y[i]))) << c.size;
  }
}

TEST(Lapack, BandedLuRefusesSingularMatrices) {
  const auto second_difference = [](double corner) {
    BandedMatrix a(5, 1, 1);
    for (Index i = 0; i < 5; ++i) {
      a.at(i, i) = 2;
      if (i > 0) a.at(i, i - 1) = a.at(i - 1, i) = -1;
    }
    a.at(0, 0) = a.at(4, 4) = corner;
    return a;
  };
  EXPECT_NO_THROW(BandedLu(second_difference(2)));
  EXPECT_THROW(BandedLu(second_difference(1)), NumericalError);          // constants are its null space
  EXPECT_THROW(BandedLu(second_difference(1 + 4e-16)), NumericalError);  // the same to working precision
  EXPECT_THROW(BandedLu(second_difference(std::nan(""))), NumericalError);
}

}  // namespace
}  // namespace halocline
