#include "gpu/vendor.hpp"

#include <cublas_v2.h>
#include <cusparse.h>

#include <optional>

#include "gpu/shared_library.hpp"
#include "lib/base/array.hpp"
#include "lib/base/error.hpp"
#include "lib/base/profile/kernel_profile.hpp"

namespace halocline {
namespace {

std::string file_of(const std::string& name, int major) { return "lib" + name + ".so." + std::to_string(major); }

cudaStream_t stream_of(const Executor& executor) {
  require(executor.backend() == Backend::cuda, "libraries of NVIDIA work on GPUs alone");
  return static_cast<cudaStream_t>(executor.native(Queue::compute));
}

double values_bytes(double values) { return values * static_cast<double>(sizeof(double)); }

struct SparseCalls {
  SharedLibrary library{file_of("cusparse", CUSPARSE_VER_MAJOR), "line solves of cuSPARSE"};
  decltype(&cusparseCreate) create;
  decltype(&cusparseDestroy) destroy;
  decltype(&cusparseSetStream) set_stream;
  decltype(&cusparseGetErrorString) error_text;
  decltype(&cusparseGetProperty) property;
  decltype(&cusparseDgpsvInterleavedBatch_bufferSizeExt) penta_size;
  decltype(&cusparseDgpsvInterleavedBatch) penta;
  decltype(&cusparseDgtsv2StridedBatch_bufferSizeExt) tri_size;
  decltype(&cusparseDgtsv2StridedBatch) tri;

  SparseCalls() {
    library.find(create, "cusparseCreate");
    library.find(destroy, "cusparseDestroy");
    library.find(set_stream, "cusparseSetStream");
    library.find(error_text, "cusparseGetErrorString");
    library.find(property, "cusparseGetProperty");
    library.find(penta_size, "cusparseDgpsvInterleavedBatch_bufferSizeExt");
    library.find(penta, "cusparseDgpsvInterleavedBatch");
    library.find(tri_size, "cusparseDgtsv2StridedBatch_bufferSizeExt");
    library.find(tri, "cusparseDgtsv2StridedBatch");
  }
};

struct BlasCalls {
  SharedLibrary library{file_of("cublas", CUBLAS_VER_MAJOR), "dense products of cuBLAS"};
  decltype(&cublasCreate_v2) create;
  decltype(&cublasDestroy_v2) destroy;
  decltype(&cublasSetStream_v2) set_stream;
  decltype(&cublasGetStatusString) error_text;
  decltype(&cublasGetProperty) property;
  decltype(&cublasDgemm_v2) gemm;

  BlasCalls() {
    library.find(create, "cublasCreate_v2");
    library.find(destroy, "cublasDestroy_v2");
    library.find(set_stream, "cublasSetStream_v2");
    library.find(error_text, "cublasGetStatusString");
    library.find(property, "cublasGetProperty");
    library.find(gemm, "cublasDgemm_v2");
  }
};

template <class Property>
std::string version_of(const Property& property) {
  int major = 0, minor = 0, patch = 0;
  property(MAJOR_VERSION, &major);
  property(MINOR_VERSION, &minor);
  property(PATCH_LEVEL, &patch);
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

}  // namespace

struct Cusparse::State {
  explicit State(ExecutorPtr device) : executor(std::move(device)) {
    cudaStream_t stream = stream_of(*executor);
    check(calls.create(&handle), "cusparseCreate");
    check(calls.set_stream(handle, stream), "cusparseSetStream");
  }
  ~State() {
    if (handle != nullptr) calls.destroy(handle);
  }
  void check(cusparseStatus_t status, const char* call) const {
    if (status != CUSPARSE_STATUS_SUCCESS)
      throw MachineError(executor->name() + ": " + call + " failed: " + calls.error_text(status));
  }
  // Working memory, kept for the next call.
  void* at_least(std::size_t bytes) {
    const auto wanted = static_cast<Index>((bytes + sizeof(double) - 1) / sizeof(double));
    if (!buffer || buffer->size() < wanted) buffer.emplace(executor, std::array<Index, 1>{wanted});
    return buffer->view().data;
  }

  ExecutorPtr executor;
  SparseCalls calls;
  cusparseHandle_t handle = nullptr;
  std::optional<Array<double, 1>> buffer;
};

Cusparse::Cusparse(ExecutorPtr executor) : state_(std::make_unique<State>(std::move(executor))) {}
Cusparse::~Cusparse() = default;
Cusparse::Cusparse(Cusparse&&) noexcept = default;
Cusparse& Cusparse::operator=(Cusparse&&) noexcept = default;

void Cusparse::solve_pentadiagonal(LocalIndex rows, LocalIndex lines, double* lower2, double* lower1, double* diagonal,
                                   double* upper1, double* upper2, double* x) {
  State& s = *state_;
  stream_of(*s.executor);  // makes the device current
  std::size_t bytes = 0;
  s.check(s.calls.penta_size(s.handle, 0, rows, lower2, lower1, diagonal, upper1, upper2, x, lines, &bytes),
          "cusparseDgpsvInterleavedBatch_bufferSizeExt");
  const KernelTimer timer(*s.executor, {"cuSPARSE pentadiagonal", values_bytes(7.0 * rows * lines)});
  s.check(s.calls.penta(s.handle, 0, rows, lower2, lower1, diagonal, upper1, upper2, x, lines, s.at_least(bytes)),
          "cusparseDgpsvInterleavedBatch");
}

void Cusparse::solve_tridiagonal(LocalIndex rows, LocalIndex lines, const double* lower, const double* diagonal,
                                 const double* upper, double* x) {
  State& s = *state_;
  stream_of(*s.executor);
  std::size_t bytes = 0;
  s.check(s.calls.tri_size(s.handle, rows, lower, diagonal, upper, x, lines, rows, &bytes),
          "cusparseDgtsv2StridedBatch_bufferSizeExt");
  const KernelTimer timer(*s.executor, {"cuSPARSE tridiagonal", values_bytes(5.0 * rows * lines)});
  s.check(s.calls.tri(s.handle, rows, lower, diagonal, upper, x, lines, rows, s.at_least(bytes)),
          "cusparseDgtsv2StridedBatch");
}

struct Cublas::State {
  explicit State(ExecutorPtr device) : executor(std::move(device)) {
    cudaStream_t stream = stream_of(*executor);
    check(calls.create(&handle), "cublasCreate");
    check(calls.set_stream(handle, stream), "cublasSetStream");
  }
  ~State() {
    if (handle != nullptr) calls.destroy(handle);
  }
  void check(cublasStatus_t status, const char* call) const {
    if (status != CUBLAS_STATUS_SUCCESS)
      throw MachineError(executor->name() + ": " + call + " failed: " + calls.error_text(status));
  }

  ExecutorPtr executor;
  BlasCalls calls;
  cublasHandle_t handle = nullptr;
};

Cublas::Cublas(ExecutorPtr executor) : state_(std::make_unique<State>(std::move(executor))) {}
Cublas::~Cublas() = default;
Cublas::Cublas(Cublas&&) noexcept = default;
Cublas& Cublas::operator=(Cublas&&) noexcept = default;

void Cublas::multiply(LocalIndex m, LocalIndex n, LocalIndex k, const double* a, const double* b, double* c) {
  multiply(m, n, k, a, k, b, n, 0, c, n);
}

// Row-major matrices are transposed column-major ones: c^T = b^T a^T.
void Cublas::multiply(LocalIndex m, LocalIndex n, LocalIndex k, const double* a, LocalIndex lda, const double* b,
                      LocalIndex ldb, double beta, double* c, LocalIndex ldc) {
  State& s = *state_;
  stream_of(*s.executor);
  const double one = 1, rows = m, columns = n, inner = k;
  const double moved = rows * inner + inner * columns + (beta == 0 ? 1 : 2) * rows * columns;
  const KernelTimer timer(*s.executor, {"cuBLAS dgemm", values_bytes(moved)});
  s.check(s.calls.gemm(s.handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b, ldb, a, lda, &beta, c, ldc),
          "cublasDgemm");
}

std::string vendor_versions() {
  return "cuSPARSE " + version_of(SparseCalls().property) + ", cuBLAS " + version_of(BlasCalls().property);
}

}  // namespace halocline
