// The row kernels for AVX-512. Compiled for x86-64-v4 and always optimized, so that no function shared with other
// sources is left in this object in a form that only some processors run. Include nothing else here.
#include "lib/problems/diffusion/host/row_loops.hpp"

namespace halocline::diffusion {

template <class T>
RowKernels<T> wide_row_kernels(MaskKind kind) {
  return row_loops<64, T>(kind);
}

template RowKernels<double> wide_row_kernels(MaskKind);
template RowKernels<float> wide_row_kernels(MaskKind);

}  // namespace halocline::diffusion
