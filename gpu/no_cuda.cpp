// Stands for cuda_executor.cpp in a build without CUDA.
#include "gpu/cuda_executor.hpp"
#include "lib/base/error.hpp"

namespace halocline {

CudaDevices cuda_devices() { return {{}, "this build has no CUDA"}; }

ExecutorPtr make_cuda_executor(int device) {
  throw MachineError("device 'cuda:" + std::to_string(device) + "': this build has no CUDA; use omp or auto");
}

}  // namespace halocline
