// DeviceModel: a system's formulas as a CUDA kernel, made at run time by NVRTC: one thread per system.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gpu/loaded_kernel.hpp"
#include "gpu/nvrtc.hpp"
#include "lib/problems/ode_ensemble/codegen/lowering.hpp"
#include "lib/problems/ode_ensemble/stepper/ensemble.hpp"
#include "mpi/communicator.hpp"

namespace halocline::ode_ensemble {

class DeviceModel {
 public:
  // Compiles on rank 0 for the GPUs of all ranks, sends the code and loads it on this rank's `executors` (CUDA
  // executors, possibly none), which outlive the model. Collective. Throws MachineError, on all ranks, when libnvrtc is
  // missing or fails.
  DeviceModel(const Communicator& comm, const std::vector<const Executor*>& executors, const LoweredModel& model,
              Method method);

  // Puts one call of the entry point on the executor's compute queue; all pointers lie in its memory.
  void launch(const Executor& executor, const Ensemble& ensemble) const;

  const std::string& text() const { return text_; }
  const std::string& compiler() const { return compiler_; }
  const KernelUse& use() const { return use_; }  // for the architecture of the first GPU

 private:
  std::string text_, compiler_;
  KernelUse use_;
  std::vector<double> factors_;  // of right-hand sides
  std::map<const Executor*, LoadedKernel> kernels_;
};

// Rows of Ensemble::state that a model needs.
long long state_rows(const LoweredModel& model);

}  // namespace halocline::ode_ensemble
