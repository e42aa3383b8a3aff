#include "lib/linalg/dense_product.hpp"

#include "lib/base/profile/kernel_profile.hpp"
#include "lib/linalg/host_product.hpp"

namespace halocline {

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
    host_multiply(threads, m, n, k, a, lda, b, ldb, beta, c, ldc);
  };
  const auto values = static_cast<double>(m * k + k * n + (beta == 0 ? 1 : 2) * m * n);
  run_kernel(*executor_, {"dense product", 8 * values}, work);
}

}  // namespace halocline
