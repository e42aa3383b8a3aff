// Products against their sums: odd sizes, gaps between rows, and more than one block of every kind.
#include <gtest/gtest.h>

#include "lib/base/array.hpp"
#include "lib/linalg/dense_product.hpp"
#include "tests/unit/executors.hpp"
#include "tests/unit/random_numbers.hpp"

namespace halocline {
namespace {

struct Size {
  Index m, n, k;
};

std::vector<double> product_on(const ExecutorPtr& executor, const Size& size, double beta, Index first_row = 0) {
  const Index lda = size.k + 3, ldb = size.n + 1, ldc = size.n + 2;
  const auto a = make_array(executor, random_numbers(size.m * lda, 1)),
             b = make_array(executor, random_numbers(size.k * ldb, 2));
  auto c = make_array(executor, random_numbers(size.m * ldc, 3));
  DenseProduct product(executor);
  product.multiply(size.m - first_row, size.n, size.k, a.view().data + first_row * lda, lda, b.view().data, ldb, beta,
                   c.view().data + first_row * ldc, ldc);
  return c.to_host();
}

class Products : public OnEveryExecutor {};

TEST_P(Products, AreTheSums) {
  for (const Size& size : {Size{5, 7, 4}, Size{1, 1, 1}, Size{203, 13, 3}, Size{7, 40, 520}, Size{400, 8, 300}}) {
    const auto a = random_numbers(size.m * (size.k + 3), 1), b = random_numbers(size.k * (size.n + 1), 2);
    const auto before = random_numbers(size.m * (size.n + 2), 3);
    for (const double beta : {0.0, 1.0, 0.5}) {
      const auto found = product_on(executor(), size, beta);
      for (Index i = 0; i < size.m; ++i)
        for (Index j = 0; j < size.n + 2; ++j) {
          double expected = before[i * (size.n + 2) + j];
          if (j < size.n) {
            expected *= beta;
            for (Index l = 0; l < size.k; ++l) expected += a[i * (size.k + 3) + l] * b[l * (size.n + 1) + j];
          }
          ASSERT_NEAR(found[i * (size.n + 2) + j], expected, 1e-13) << i << " " << j;
        }
    }
  }
}

// On the host: whatever the threads, and wherever the rows begin.
TEST_P(Products, HaveTheSameBitsForAnyRows) {
  if (executor()->backend() == Backend::cuda) GTEST_SKIP();
  const Size size{250, 21, 300};
  const auto expected = product_on(make_omp_executor(1), size, 0);
  for (const Index first : {0, 1, 100}) {
    const auto found = product_on(executor(), size, 0, first);
    for (Index i = first; i < size.m; ++i)
      for (Index j = 0; j < size.n; ++j)
        ASSERT_EQ(found[i * (size.n + 2) + j], expected[i * (size.n + 2) + j]) << first << " " << i << " " << j;
  }
}

INSTANTIATE_TEST_SUITE_P(Executors, Products, every_executor(), executor_name);

}  // namespace
}  // namespace halocline
