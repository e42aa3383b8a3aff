// Block kernels of GPUs for steps in flux form.
#pragma once

#include "lib/base/executor.hpp"
#include "lib/base/view.hpp"
#include "lib/problems/diffusion/steppers/flux_kernels.hpp"

namespace halocline::diffusion {

bool plan_flux(const Executor& executor);

// The next state of a box (z, y, x) of cells that no wall reaches, from block.c into block.next; means of a D that
// varies.
void pass_flux(const Executor& executor, const ConvolveBlock<double>& block, const FluxTerms& terms, FaceMean mean,
               const Range<3>& box);

}  // namespace halocline::diffusion
