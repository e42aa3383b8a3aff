// Block kernels: kernels that need shared memory, warps or a barrier across the grid, written in CUDA's own words in a
// .cu of the family that needs them. Each has a single-source twin, its specification, which other devices run.
//
// The same text runs on the host without a GPU (gpu/block_kernel_host.hpp), so that tests see wrong indices through the
// address sanitizer and missing barriers through a random order of threads. A .cu includes this header, keeps its
// kernels in an anonymous namespace and starts them with launch_blocks() or launch_resident():
//
//   #include "gpu/block_kernel.hpp"
//   namespace halocline {
//   namespace {
//   __global__ void smooth(Index n, const double* x, double* y) { __shared__ double tile[66]; ... __syncthreads(); ...
//   } }  // namespace void smooth(const Executor& executor, Index n, const double* x, double* y) {
//     launch_blocks(executor, "smooth", {{blocks}, {64}}, smooth, n, x, y);
//   }
//   }  // namespace halocline
//
// A host test is plain C++ (not listed in halocline_kernels) and includes the .cu as a file:
//
//   #include "gpu/kernels/smooth.cu"
//   TEST(...) { smooth(*make_omp_executor(1), n, x, y); }      // or an emulated executor
//
// The functions of the test then take the place of those in the library. tests/unit/gpu/test_block_kernel.cpp shows it.
#pragma once

#include <cstddef>

#include "lib/base/error.hpp"
#include "lib/base/executor.hpp"
#include "lib/base/profile/kernel_profile.hpp"

#if defined(__CUDACC__)

#include <cooperative_groups.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <string>

#include "gpu/cuda_executor.hpp"
#include "gpu/stream/early_launch.hpp"

namespace halocline {

// The grid of a kernel. `shared_bytes`: of dynamic_shared(), besides what the kernel declares __shared__. `early`: the
// kernel calls after_others(), see gpu/stream/early_launch.hpp; not for launch_resident().
struct Blocks {
  dim3 grid, block;
  std::size_t shared_bytes = 0;
  bool early = false;
};

// The dynamic shared memory of the block, not initialized. `extern __shared__` is left to this function.
template <class T>
__device__ T* dynamic_shared() {
  extern __shared__ __align__(16) unsigned char halocline_dynamic_shared[];
  return reinterpret_cast<T*>(halocline_dynamic_shared);
}

// Waits for all threads of all blocks; in kernels of launch_resident() only. Writes before it are seen after it.
__device__ inline void grid_barrier() { cooperative_groups::this_grid().sync(); }

// Brings what lies there nearer, if need be: into the second cache, without waiting.
__device__ __forceinline__ void prefetch(const void* data) { asm volatile("prefetch.global.L2 [%0];" ::"l"(data)); }

namespace detail {

inline void check_call(const Executor& executor, const char* name, cudaError_t status) {
  if (status == cudaSuccess) return;
  cudaGetLastError();
  throw MachineError(executor.name() + ": kernel '" + name + "' cannot be started: " + cudaGetErrorString(status));
}

// More than 48 KiB of dynamic shared memory must be asked for.
template <class... P>
void allow_shared(const Executor& executor, const char* name, void (*kernel)(P...), std::size_t bytes) {
  require(executor.backend() == Backend::cuda, "block kernels of a CUDA build run on GPUs; others run the twin");
  if (bytes > std::size_t{48} << 10)
    check_call(executor, name,
               cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(bytes)));
}

template <class... P>
void launch_kernel(const Executor& executor, const Label& label, const Blocks& blocks, bool resident,
                   void (*kernel)(P...), P... parameters) {
  const LaunchConfig launch(executor, blocks.early, blocks.grid, blocks.block, blocks.shared_bytes);
  allow_shared(executor, label.name, kernel, blocks.shared_bytes);
  void* pointers[] = {&parameters...};
  const auto* function = reinterpret_cast<const void*>(kernel);
  const KernelTimer timer(executor, label);
  // note_launch() reads the status of the launch.
  if (resident) {
    cudaLaunchCooperativeKernel(function, blocks.grid, blocks.block, pointers, blocks.shared_bytes,
                                launch.config.stream);
  } else {
    cudaLaunchKernelExC(&launch.config, function, pointers);
  }
  static_cast<const CudaExecutor&>(executor).note_launch(label.name);
}

}  // namespace detail

// What kernels may have of the device.
struct BlockLimits {
  int multiprocessors;
  std::size_t shared_bytes;  // of one block
};
inline BlockLimits block_limits(const Executor& executor) {
  executor.native(Queue::compute);  // makes the device current
  int device = 0, bytes = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  return {static_cast<const CudaExecutor&>(executor).multiprocessors(), static_cast<std::size_t>(bytes)};
}

// Whether block kernels of this build run on the executor: those compiled by nvcc on GPUs, others on the host.
inline bool runs_block_kernels(const Executor& executor) { return executor.backend() == Backend::cuda; }

// How many blocks of `threads` threads the device holds at once, the most that launch_resident() takes.
template <class... P>
int resident_blocks(const Executor& executor, const char* name, int threads, std::size_t shared_bytes,
                    void (*kernel)(P...)) {
  executor.native(Queue::compute);
  detail::allow_shared(executor, name, kernel, shared_bytes);
  int each = 0;
  detail::check_call(executor, name,
                     cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, threads, shared_bytes));
  return each * static_cast<const CudaExecutor&>(executor).multiprocessors();
}

}  // namespace halocline

#else
#include "gpu/block_kernel_host.hpp"
#endif

namespace halocline {

// kernel(arguments...) on every thread of a grid, ordered on the compute queue.
template <class... P, class... A>
void launch_blocks(const Executor& executor, const Label& label, const Blocks& blocks, void (*kernel)(P...),
                   const A&... arguments) {
  detail::launch_kernel<P...>(executor, label, blocks, false, kernel, static_cast<P>(arguments)...);
}

// The same with all blocks on the device at once, so that the kernel may call grid_barrier(). At most
// resident_blocks() blocks.
template <class... P, class... A>
void launch_resident(const Executor& executor, const Label& label, const Blocks& blocks, void (*kernel)(P...),
                     const A&... arguments) {
  detail::launch_kernel<P...>(executor, label, blocks, true, kernel, static_cast<P>(arguments)...);
}

}  // namespace halocline
