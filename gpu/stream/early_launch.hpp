// Early launches: in a graph, kernels that begin with after_others() are put onto the multiprocessors while the kernel
// before them still runs, and wait there, so that neither their start nor what they do before the wait takes time.
#pragma once

#include <cuda_runtime.h>

#include <type_traits>

#include "gpu/cuda_executor.hpp"

namespace halocline {

// The first call of every thread of the kernel, but for reading what no kernel writes: goes on when all work before has
// ended and is seen.
__device__ inline void after_others() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();  // as soon as all blocks are here, those of the next kernel may come
  cudaGridDependencySynchronize();
#endif
}

namespace detail {

// `early`: the kernel calls after_others().
struct LaunchConfig {
  cudaLaunchConfig_t config{};
  cudaLaunchAttribute attribute{};
  LaunchConfig(const Executor& executor, bool early, dim3 grid, dim3 block, std::size_t shared_bytes) {
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared_bytes;
    config.stream = static_cast<cudaStream_t>(executor.native(Queue::compute));  // also makes the device current
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    config.attrs = &attribute;
    config.numAttrs = early && static_cast<const CudaExecutor&>(executor).launches_early() ? 1 : 0;
  }
  LaunchConfig(const LaunchConfig&) = delete;
  LaunchConfig& operator=(const LaunchConfig&) = delete;
};

template <class... P>
void start_early(const Executor& executor, unsigned grid, unsigned block, void (*kernel)(P...),
                 const std::type_identity_t<P>&... arguments) {
  const LaunchConfig launch(executor, true, dim3(grid), dim3(block), 0);
  cudaLaunchKernelEx(&launch.config, kernel, P(arguments)...);
}

}  // namespace detail

}  // namespace halocline
