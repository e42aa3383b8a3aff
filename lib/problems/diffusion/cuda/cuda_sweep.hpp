// Sweeps that run the CUDA kernels of lib/problems/diffusion/cuda/fast_paths.hpp: `blocked` (several steps in one pass
// over memory), `resident` (the part stays in registers of the device) and `tiled` (as the HiPerC CUDA code).
#pragma once

#include <memory>

#include "lib/problems/diffusion/sweep.hpp"

namespace halocline::diffusion {

// Steps of a pass that suit a part on this device best; 1 where no kernel applies.
int cuda_steps(const SweepShape& shape, const Executor& executor);

// The sweep for shape.kernel, or null where no kernel applies: other devices, 3D, masks and walls without code.
// `automatic`: resident where the part fits on the chip, else blocked. `fused`: one step per pass.
template <class T>
std::unique_ptr<Sweep<T>> make_cuda_sweep(const SweepShape& shape, const Executor& executor);

}  // namespace halocline::diffusion
