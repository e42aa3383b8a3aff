// DenseProduct: products of dense matrices in memory of an executor: by our own loops on the host, whose bits
// depend on nothing but the matrices, by cuBLAS on a GPU.
#pragma once

#include <memory>

#include "gpu/vendor.hpp"
#include "lib/base/executor.hpp"

namespace halocline {

class DenseProduct {
 public:
  explicit DenseProduct(ExecutorPtr executor);  // MachineError when a GPU has no cuBLAS

  // c = a b + beta c for row-major a (m x k), b (k x n), c (m x n) whose rows lie lda, ldb, ldc numbers apart. Ordered
  // on the compute queue.
  void multiply(Index m, Index n, Index k, const double* a, Index lda, const double* b, Index ldb, double beta,
                double* c, Index ldc);

 private:
  ExecutorPtr executor_;
  std::unique_ptr<Cublas> cublas_;
};

}  // namespace halocline
