// Dense algebra against its definitions: residuals, orthogonality.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace halocline
