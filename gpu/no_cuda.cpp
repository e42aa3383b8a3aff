// Stands for cuda_executor.cpp and loaded_kernel.cpp in a build without CUDA.
#include "gpu/cuda_executor.hpp"
#include "gpu/loaded_kernel.hpp"
#include "lib/base/error.hpp"

namespace halocline {

CudaDevices cuda_devices() { return {{}, "this build has no CUDA"}; }

ExecutorPtr make_cuda_executor(int device) {
  throw MachineError("device 'cuda:" + std::to_string(device) + "': this build has no CUDA; use omp or auto");
}

// Never reached: there is no CUDA executor.
struct LoadedKernel::Handles {};
LoadedKernel::LoadedKernel(const Executor& executor, const std::string&, const std::string&) : executor_(&executor) {
  throw MachineError("this build has no CUDA");
}
void LoadedKernel::launch(int, int, const void*) const {}
int LoadedKernel::resident_threads(int) const { return 0; }

}  // namespace halocline
