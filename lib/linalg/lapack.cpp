#include "lib/linalg/lapack.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <string>

#include "lib/base/error.hpp"
#include "lib/base/memory/host_memory.hpp"

extern "C" {
// Fortran: numbers by reference; lengths of character arguments follow at the end.
void dsygvd_(const int* type, const char* job, const char* uplo, const int* n, double* a, const int* lda, double* b,
             const int* ldb, double* w, double* work, const int* lwork, int* iwork, const int* liwork, int* info,
             std::size_t, std::size_t);
void dgetrf_(const int* m, const int* n, double* a, const int* lda, int* pivots, int* info);
void dgetrs_(const char* trans, const int* n, const int* columns, const double* a, const int* lda, const int* pivots,
             double* b, const int* ldb, int* info, std::size_t);
void dgesdd_(const char* job, const int* m, const int* n, double* a, const int* lda, double* s, double* u,
             const int* ldu, double* vt, const int* ldvt, double* work, const int* lwork, int* iwork, int* info,
             std::size_t);
void dgemm_(const char* of_a, const char* of_b, const int* m, const int* n, const int* k, const double* alpha,
            const double* a, const int* lda, const double* b, const int* ldb, const double* beta, double* c,
            const int* ldc, std::size_t, std::size_t);
void dgbtrf_(const int* m, const int* n, const int* kl, const int* ku, double* ab, const int* ldab, int* pivots,
             int* info);
void dgbtrs_(const char* trans, const int* n, const int* kl, const int* ku, const int* columns, const double* ab,
             const int* ldab, const int* pivots, double* b, const int* ldb, int* info, std::size_t);
// Only OpenBLAS has these.
void openblas_set_num_threads(int threads) __attribute__((weak));
int openblas_get_num_threads() __attribute__((weak));
// OpenBLAS makes threads as it is loaded, before main(), as many as it reads from the environment by this function. It
// finds ours first, and makes none: each takes 128 MB of addresses, asks for them for ever where there are none, and is
// waited for when the program ends. Weak, for an OpenBLAS that is linked statically and has its own.
int openblas_num_threads_env() __attribute__((weak));
int openblas_num_threads_env() { return 1; }
}

namespace halocline {

namespace {

int to_int(Index value) {
  require(value >= 0 && value <= std::numeric_limits<int>::max(), "LAPACK: a dimension is out of range");
  return static_cast<int>(value);
}

// OpenBLAS takes a block for every thread that calls it, keeps it, and where the system refuses it asks again for ever.
void find_working_memory(int threads) {
  constexpr std::size_t bytes_of_thread = std::size_t{128} << 20;
  static std::atomic<int> found{0};
  if (openblas_set_num_threads == nullptr || threads <= found) return;
  const std::size_t bytes = bytes_of_thread * static_cast<std::size_t>(threads);
  char* block = map_huge_pages(bytes);
  if (block == nullptr) throw_out_of_memory("OpenBLAS", bytes, free_memory());
  unmap_pages(block, bytes);
  found = threads;
}

// The threads of halocline share the work; a library's own would fight with them. `threads`: that call the library.
void prepare_blas(int threads = 1) {
  static std::once_flag once;
  std::call_once(once, [] {
    if (openblas_set_num_threads != nullptr) openblas_set_num_threads(1);
  });
  find_working_memory(threads);
}

// Gives the library threads of its own while it lives.
class BlasThreads {
 public:
  explicit BlasThreads(int threads) {
    if (openblas_get_num_threads != nullptr) before_ = openblas_get_num_threads();
    if (openblas_set_num_threads != nullptr) openblas_set_num_threads(threads);
  }
  ~BlasThreads() {
    if (openblas_set_num_threads != nullptr) openblas_set_num_threads(before_);
  }
  BlasThreads(const BlasThreads&) = delete;
  BlasThreads& operator=(const BlasThreads&) = delete;

 private:
  int before_ = 1;
};

}  // namespace

PencilEigenvalues solve_pencil(Index n, std::vector<double> a, std::vector<double> m, int threads) {
  require(static_cast<Index>(a.size()) == n * n && a.size() == m.size(), "solve_pencil: n x n matrices");
  PencilEigenvalues result;
  result.values.resize(static_cast<std::size_t>(n));
  const int size = to_int(n), type = 1;
  int info = 0, int_size = -1, work_size = -1, int_wanted = 0;
  double wanted = 0;
  dsygvd_(&type, "V", "L", &size, a.data(), &size, m.data(), &size, result.values.data(), &wanted, &work_size,
          &int_wanted, &int_size, &info, 1, 1);
  require(info == 0, "dsygvd: no answer about its working memory");
  std::vector<double> work(static_cast<std::size_t>(wanted) + 1);
  std::vector<int> int_work(static_cast<std::size_t>(int_wanted) + 1);
  work_size = to_int(static_cast<Index>(work.size()));
  int_size = to_int(static_cast<Index>(int_work.size()));
  prepare_blas(threads);  // after all that takes memory here, since the library finds its own by itself
  const BlasThreads own(threads);
  dsygvd_(&type, "V", "L", &size, a.data(), &size, m.data(), &size, result.values.data(), work.data(), &work_size,
          int_work.data(), &int_size, &info, 1, 1);
  if (info > size) throw NumericalError("dsygvd: the second matrix of the pencil is not positive definite");
  if (info != 0) throw NumericalError("dsygvd: failed with info = " + std::to_string(info));
  result.vectors = std::move(a);
  return result;
}

DenseLu::DenseLu(Index n, std::vector<double> a) : n_(n), factors_(std::move(a)), pivots_(static_cast<std::size_t>(n)) {
  require(static_cast<Index>(factors_.size()) == n * n, "DenseLu: an n x n matrix");
  prepare_blas();
  const int size = to_int(n);
  int info = 0;
  dgetrf_(&size, &size, factors_.data(), &size, pivots_.data(), &info);
  if (info != 0) throw NumericalError("dgetrf: the matrix is singular (pivot " + std::to_string(info) + ")");
}

void DenseLu::solve(double* b) const {
  const int size = to_int(n_), one = 1;
  int info = 0;
  // Row-major A is the transpose of what LAPACK has factored.
  dgetrs_("T", &size, &one, factors_.data(), &size, pivots_.data(), b, &size, &info, 1);
  require(info == 0, "dgetrs failed");
}

std::vector<double> invert(Index n, std::vector<double> a, int threads) {
  require(static_cast<Index>(a.size()) == n * n, "invert: an n x n matrix");
  prepare_blas(threads);
  double largest = 0;
  for (const double value : a) largest = std::max(largest, std::abs(value));
  const int size = to_int(n);
  int info = 0;
  std::vector<int> pivots(static_cast<std::size_t>(n));
  dgetrf_(&size, &size, a.data(), &size, pivots.data(), &info);
  require(info >= 0, "dgetrf: refused its arguments");
  for (Index k = 0; k < n; ++k)
    if (!(std::abs(a[k * n + k]) > 1e-15 * largest))
      throw NumericalError("dgetrf: the matrix is singular (pivot " + std::to_string(k + 1) + ")");

  constexpr Index panel = 32;  // columns
  std::vector<double> inverse(a.size(), 0);
  bool solved = true;
#pragma omp parallel for schedule(dynamic) num_threads(threads) reduction(&& : solved)
  for (Index first = 0; first < n; first += panel) {
    const int columns = static_cast<int>(std::min(panel, n - first));
    double* of_panel = inverse.data() + first * n;
    for (Index j = 0; j < columns; ++j) of_panel[j * n + first + j] = 1;
    int answer = 0;
    dgetrs_("N", &size, &columns, a.data(), &size, pivots.data(), of_panel, &size, &answer, 1);
    solved = solved && answer == 0;
  }
  require(solved, "dgetrs failed");
  return inverse;
}

std::vector<double> pseudo_inverse(Index n, std::vector<double> a, double least) {
  require(static_cast<Index>(a.size()) == n * n, "pseudo_inverse: an n x n matrix");
  if (n == 0) return a;
  prepare_blas();
  const int size = to_int(n);
  std::vector<double> values(static_cast<std::size_t>(n)), u(a.size()), vt(a.size()), work(1);
  std::vector<int> int_work(static_cast<std::size_t>(8 * n));
  int info = 0, work_size = -1;
  for (int pass = 0; pass < 2; ++pass) {  // the first one asks for working memory
    dgesdd_("S", &size, &size, a.data(), &size, values.data(), u.data(), &size, vt.data(), &size, work.data(),
            &work_size, int_work.data(), &info, 1);
    if (info != 0) throw NumericalError("dgesdd: failed with info = " + std::to_string(info));
    work.resize(static_cast<std::size_t>(work[0]));
    work_size = to_int(static_cast<Index>(work.size()));
  }
  int rank = 0;
  for (; rank < size && values[rank] > least * values[0]; ++rank)
    for (Index i = 0; i < n; ++i) u[rank * n + i] /= values[rank];
  const double one = 1, none = 0;
  dgemm_("T", "T", &size, &size, &rank, &one, vt.data(), &size, u.data(), &size, &none, a.data(), &size, 1, 1);
  return a;
}

BandedMatrix::BandedMatrix(Index size, Index below, Index above)
    : size_(size), below_(below), above_(above), entries_(static_cast<std::size_t>(size * height()), 0.0) {}

BandedLu::BandedLu(BandedMatrix a) : factors_(std::move(a)), pivots_(static_cast<std::size_t>(factors_.size())) {
  prepare_blas();
  double largest = 0;
  for (const double value : factors_.entries_) largest = std::max(largest, std::abs(value));
  const int size = to_int(factors_.size_), below = to_int(factors_.below_), above = to_int(factors_.above_),
            height = to_int(factors_.height());
  int info = 0;
  dgbtrf_(&size, &size, &below, &above, factors_.entries_.data(), &height, pivots_.data(), &info);
  require(info >= 0, "dgbtrf: refused its arguments");
  for (Index k = 0; k < factors_.size_; ++k)
    if (!(std::abs(factors_.at(k, k)) > 1e-15 * largest))
      throw NumericalError("dgbtrf: the matrix is singular (pivot " + std::to_string(k + 1) + ")");
}

void BandedLu::solve(double* b, Index columns) const {
  const int size = to_int(factors_.size_), below = to_int(factors_.below_), above = to_int(factors_.above_),
            height = to_int(factors_.height()), count = to_int(columns);
  int info = 0;
  dgbtrs_("N", &size, &below, &above, &count, factors_.entries_.data(), &height, pivots_.data(), b, &size, &info, 1);
  require(info == 0, "dgbtrs failed");
}

}  // namespace halocline
