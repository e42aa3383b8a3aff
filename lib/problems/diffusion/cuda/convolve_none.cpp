// Stands for the convolve kernels in a build without CUDA: no plan applies.
#include "lib/base/error.hpp"
#include "lib/problems/diffusion/cuda/fast_paths.hpp"

namespace halocline::diffusion {

StripPlan plan_strips(const Executor&, const PlanePart&) { return {}; }
int strip_passes(MaskKind, int, int) { return 0; }
template <class T>
void pass_strips(const Executor&, const ConvolveBlock<T>&, const ConvolveMask<T>&, int, int, const SlabBox&) {
  throw InternalError("pass_strips in a build without CUDA");
}
template <class T>
ResidentPlan plan_resident(const Executor&, const PlanePart&) {
  return {};
}
template <class T>
void resident(const Executor&, const ConvolveBlock<T>&, const ConvolveMask<T>&, int, const ResidentPlan&) {
  throw InternalError("resident in a build without CUDA");
}
template <class T>
bool plan_planes(const Executor&, const ConvolveBlock<T>&, const ConvolveMask<T>&) {
  return false;
}
template <class T>
void pass_planes(const Executor&, const ConvolveBlock<T>&, const ConvolveMask<T>&, const Range<3>&) {
  throw InternalError("pass_planes in a build without CUDA");
}
int plan_prisms(const Executor&, int, MaskKind) { return 0; }
int prism_passes(int, int) { return 0; }
template <class T>
void pass_prisms(const Executor&, const ConvolveBlock<T>&, const ConvolveMask<T>&, int, int, const SlabBox&) {
  throw InternalError("pass_prisms in a build without CUDA");
}
bool plan_tiled(const Executor&, const PlanePart&) { return false; }
template <class T>
void tiled(const Executor&, const ConvolveBlock<T>&, const ConvolveMask<T>&, T*, Rows) {
  throw InternalError("tiled in a build without CUDA");
}

template bool plan_planes<double>(const Executor&, const ConvolveBlock<double>&, const ConvolveMask<double>&);
template bool plan_planes<float>(const Executor&, const ConvolveBlock<float>&, const ConvolveMask<float>&);
template void pass_planes<double>(const Executor&, const ConvolveBlock<double>&, const ConvolveMask<double>&,
                                  const Range<3>&);
template void pass_planes<float>(const Executor&, const ConvolveBlock<float>&, const ConvolveMask<float>&,
                                 const Range<3>&);
template void tiled<double>(const Executor&, const ConvolveBlock<double>&, const ConvolveMask<double>&, double*, Rows);
template void tiled<float>(const Executor&, const ConvolveBlock<float>&, const ConvolveMask<float>&, float*, Rows);
template void pass_strips<double>(const Executor&, const ConvolveBlock<double>&, const ConvolveMask<double>&, int, int,
                                  const SlabBox&);
template void pass_strips<float>(const Executor&, const ConvolveBlock<float>&, const ConvolveMask<float>&, int, int,
                                 const SlabBox&);
template void pass_prisms<double>(const Executor&, const ConvolveBlock<double>&, const ConvolveMask<double>&, int, int,
                                  const SlabBox&);
template void pass_prisms<float>(const Executor&, const ConvolveBlock<float>&, const ConvolveMask<float>&, int, int,
                                 const SlabBox&);
template ResidentPlan plan_resident<double>(const Executor&, const PlanePart&);
template ResidentPlan plan_resident<float>(const Executor&, const PlanePart&);
template void resident<double>(const Executor&, const ConvolveBlock<double>&, const ConvolveMask<double>&, int,
                               const ResidentPlan&);
template void resident<float>(const Executor&, const ConvolveBlock<float>&, const ConvolveMask<float>&, int,
                              const ResidentPlan&);

}  // namespace halocline::diffusion
