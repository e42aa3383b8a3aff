// LoadedKernel: a kernel of a cubin that was made at run time (gpu/nvrtc.hpp), loaded on one GPU.
#pragma once

#include <memory>
#include <string>

#include "lib/base/executor.hpp"

namespace halocline {

// The compute capability of a CUDA executor's device, as 90 for 9.0. Throws MachineError for any other executor.
int architecture_of(const Executor& executor);

class LoadedKernel {
 public:
  // Loads kernel `name` (extern "C" __global__ with one parameter, a struct). `executor` is a CUDA executor and
  // outlives the kernel. Throws MachineError when the driver refuses the code.
  LoadedKernel(const Executor& executor, const std::string& cubin, const std::string& name);

  // Puts the kernel on the compute queue. `argument` is the kernel's parameter, copied now. `bytes`: as of a
  // Label, for the profile.
  void launch(int blocks, int threads_per_block, const void* argument, double bytes = 0) const;

  int registers() const { return registers_; }
  // Threads per multiprocessor that run at once, as the driver counts.
  int resident_threads(int threads_per_block) const;

 private:
  struct Handles;
  const Executor* executor_;
  std::string name_;
  std::shared_ptr<Handles> handles_;
  int registers_ = 0;
};

}  // namespace halocline
