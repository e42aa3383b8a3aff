// Stands for the block kernels of steppers in a build without CUDA: no plan applies.
#include "lib/base/error.hpp"
#include "lib/problems/diffusion/steppers/flux_passes.hpp"
#include "lib/problems/diffusion/steppers/spinodal_passes.hpp"

namespace halocline::diffusion {

bool plan_flux(const Executor&) { return false; }
void pass_flux(const Executor&, const ConvolveBlock<double>&, const FluxTerms&, FaceMean, const Range<3>&) {
  throw InternalError("pass_flux in a build without CUDA");
}

bool plan_spinodal(const Executor&, MaskKind) { return false; }
void pass_spinodal(const Executor&, const ConvolveBlock<double>&, const SpinodalMasks&, const SlabBox&) {
  throw InternalError("pass_spinodal in a build without CUDA");
}

}  // namespace halocline::diffusion
