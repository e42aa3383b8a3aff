// Block kernels of GPUs for the equation of Cahn and Hilliard, where there is one: both masks of a step in one pass.
#pragma once

#include "lib/base/executor.hpp"
#include "lib/problems/diffusion/steppers/spinodal_kernels.hpp"

namespace halocline::diffusion {

// inner: weights times -kappa; outer: weights times dt M.
struct SpinodalMasks {
  ConvolveMask<double> inner, outer;
  DoubleWell well;
};

// For stars: 5 points in a plane, 7 in space.
bool plan_spinodal(const Executor& executor, MaskKind kind);

// `cells` of the next state from block.c into block.next. Reads two beyond.
void pass_spinodal(const Executor& executor, const ConvolveBlock<double>& block, const SpinodalMasks& masks,
                   const SlabBox& cells);

}  // namespace halocline::diffusion
