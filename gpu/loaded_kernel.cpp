#include "gpu/loaded_kernel.hpp"

#include <cuda_runtime.h>

#include "gpu/cuda_executor.hpp"
#include "lib/base/error.hpp"
#include "lib/base/profile/kernel_profile.hpp"

namespace halocline {

struct LoadedKernel::Handles {
  cudaLibrary_t library = nullptr;
  cudaKernel_t kernel = nullptr;
  ~Handles() {
    if (library != nullptr) cudaLibraryUnload(library);
  }
  const void* function() const { return static_cast<const void*>(kernel); }
};

namespace {

void check(cudaError_t status, const std::string& what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();
  throw MachineError(what + ": " + cudaGetErrorString(status));
}

const CudaExecutor& cuda(const Executor& executor) {
  const auto* found = dynamic_cast<const CudaExecutor*>(&executor);
  require(found != nullptr, "LoadedKernel: not a CUDA executor");
  return *found;
}

}  // namespace

int architecture_of(const Executor& executor) {
  cuda(executor).native(Queue::compute);
  int device = 0, major = 0, minor = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "cudaDeviceGetAttribute");
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device), "cudaDeviceGetAttribute");
  return 10 * major + minor;
}

LoadedKernel::LoadedKernel(const Executor& executor, const std::string& cubin, const std::string& name)
    : executor_(&executor), name_(name), handles_(std::make_shared<Handles>()) {
  cuda(executor).native(Queue::compute);  // makes the device current
  check(cudaLibraryLoadData(&handles_->library, cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
        executor.name() + ": loading compiled kernel '" + name + "' failed");
  check(cudaLibraryGetKernel(&handles_->kernel, handles_->library, name.c_str()),
        executor.name() + ": the compiled code has no kernel '" + name + "'");
  cudaFuncAttributes facts{};
  check(cudaFuncGetAttributes(&facts, handles_->function()), executor.name() + ": cudaFuncGetAttributes");
  registers_ = facts.numRegs;
}

void LoadedKernel::launch(int blocks, int threads_per_block, const void* argument, double bytes) const {
  if (blocks == 0) return;
  auto* const stream = static_cast<cudaStream_t>(executor_->native(Queue::compute));
  void* arguments[] = {const_cast<void*>(argument)};
  const KernelTimer timer(*executor_, {name_.c_str(), bytes});
  const cudaError_t status = cudaLaunchKernel(handles_->function(), dim3(static_cast<unsigned>(blocks)),
                                              dim3(static_cast<unsigned>(threads_per_block)), arguments, 0, stream);
  check(status, executor_->name() + ": launch of kernel '" + name_ + "' failed");
  cuda(*executor_).note_launch(name_.c_str());
}

int LoadedKernel::resident_threads(int threads_per_block) const {
  executor_->native(Queue::compute);
  int blocks = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, handles_->function(), threads_per_block, 0),
        executor_->name() + ": cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return blocks * threads_per_block;
}

}  // namespace halocline
