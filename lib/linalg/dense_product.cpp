#include "lib/linalg/dense_product.hpp"

#include <omp.h>

#include <algorithm>

#include "lib/linalg/lapack.hpp"

namespace halocline {

namespace {

// Rows of a product that one thread does in one call.
constexpr Index rows_at_once = 64;

}  // namespace

DenseProduct::DenseProduct(ExecutorPtr executor) : executor_(std::move(executor)) {
  if (executor_->backend() == Backend::cuda) cublas_ = std::make_unique<Cublas>(executor_);
}

void DenseProduct::multiply(Index m, Index n, Index k, const double* a, Index lda, const double* b, Index ldb,
                            double beta, double* c, Index ldc) {
  if (m == 0 || n == 0) return;
  if (cublas_) {
    const auto local = [](Index value) { return static_cast<LocalIndex>(value); };
    return cublas_->multiply(local(m), local(n), local(k), a, local(lda), b, local(ldb), beta, c, local(ldc));
  }
  const auto work = [=, threads = executor_->threads()] {
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (threads > 1)
    for (Index i = 0; i < m; i += rows_at_once)
      dense_multiply(std::min(rows_at_once, m - i), n, k, a + i * lda, lda, b, ldb, beta, c + i * ldc, ldc);
  };
  if (executor_->backend() == Backend::omp) {
    work();
  } else {
    executor_->run(Queue::compute, work);
  }
}

}  // namespace halocline
