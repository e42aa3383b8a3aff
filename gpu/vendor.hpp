// The few calls of NVIDIA's libraries that are worth making: cuSPARSE for many line solves at once, cuBLAS for dense
// products. Each library is opened when its class is first made, see gpu/shared_library.hpp.
//
// Line solves here are the reference and the rival of the kernels written for halocline: these factor at every call and
// want all lines interleaved. In a build without CUDA the constructors throw.
#pragma once

#include <memory>
#include <string>

#include "lib/base/executor.hpp"
#include "lib/base/types.hpp"

namespace halocline {

// cuSPARSE on one GPU, ordered on its compute queue. One thread at a time.
class Cusparse {
 public:
  explicit Cusparse(ExecutorPtr executor);  // MachineError when the library is missing, or `executor` is no GPU
  ~Cusparse();
  Cusparse(Cusparse&&) noexcept;
  Cusparse& operator=(Cusparse&&) noexcept;

  // Solves `lines` pentadiagonal systems of `rows` (at least 3) unknowns, interleaved: row r of line l lies at
  // r * lines + l. `lower2` to `upper2` are the diagonals by row (the first two rows have no lower2, and so on; what
  // stands there must be zero). All are overwritten, x with the solution; QR without a choice for the caller.
  // cusparseDgpsvInterleavedBatch.
  void solve_pentadiagonal(LocalIndex rows, LocalIndex lines, double* lower2, double* lower1, double* diagonal,
                           double* upper1, double* upper2, double* x);

  // Solves `lines` tridiagonal systems of `rows` (at least 3) unknowns, one line after the other: row r of line l lies
  // at l * rows + r. x becomes the solution; no pivoting. cusparseDgtsv2StridedBatch.
  void solve_tridiagonal(LocalIndex rows, LocalIndex lines, const double* lower, const double* diagonal,
                         const double* upper, double* x);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// cuBLAS on one GPU, ordered on its compute queue. One thread at a time.
class Cublas {
 public:
  explicit Cublas(ExecutorPtr executor);  // as Cusparse
  ~Cublas();
  Cublas(Cublas&&) noexcept;
  Cublas& operator=(Cublas&&) noexcept;

  // c = a b for row-major a (m x k), b (k x n), c (m x n), without gaps. cublasDgemm.
  void multiply(LocalIndex m, LocalIndex n, LocalIndex k, const double* a, const double* b, double* c);
  // c = a b + beta c with rows lda, ldb, ldc numbers apart.
  void multiply(LocalIndex m, LocalIndex n, LocalIndex k, const double* a, LocalIndex lda, const double* b,
                LocalIndex ldb, double beta, double* c, LocalIndex ldc);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// "cuSPARSE 12.6.3, cuBLAS 13.1.0" as found on this machine; needs no GPU. MachineError when one is missing.
std::string vendor_versions();

}  // namespace halocline
