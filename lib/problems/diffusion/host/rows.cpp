#include "lib/problems/diffusion/host/rows.hpp"

#include "lib/problems/diffusion/host/row_loops.hpp"

namespace halocline::diffusion {

#if defined(HALOCLINE_V4_ROWS)
// Of rows_v4.cpp, which is compiled for AVX-512: call only where the processor has it.
template <class T>
RowKernels<T> wide_row_kernels(MaskKind kind);
extern template RowKernels<double> wide_row_kernels(MaskKind);
extern template RowKernels<float> wide_row_kernels(MaskKind);
#endif

namespace {

#if defined(__AVX512F__)
constexpr int base_bytes = 64;
#elif defined(__AVX__)
constexpr int base_bytes = 32;
#else
constexpr int base_bytes = 16;
#endif

}  // namespace

bool have_wide_rows() {
#if defined(HALOCLINE_V4_ROWS)
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd");
#else
  return false;
#endif
}

template <class T>
RowKernels<T> row_kernels(MaskKind kind, RowLanes lanes) {
  if (lanes == RowLanes::base) return row_loops<base_bytes, T>(kind);
#if defined(HALOCLINE_V4_ROWS)
  if (have_wide_rows()) return wide_row_kernels<T>(kind);
#endif
  return {};
}

template RowKernels<double> row_kernels(MaskKind, RowLanes);
template RowKernels<float> row_kernels(MaskKind, RowLanes);

}  // namespace halocline::diffusion
