// Row kernels: one step for a run of cells of one row or of two neighboring rows, all neighbors in memory. The inner
// loop of the host's sweeps, compiled for the processor that the program is built for and, on x86-64, for AVX-512;
// chosen at run time. All give the bits of update().
#pragma once

#include "lib/problems/diffusion/convolve_kernels.hpp"

namespace halocline::diffusion {

// Rows and columns of cells start at multiples of this in memory, a cache line.
template <class T>
constexpr Index line_cells = 64 / static_cast<Index>(sizeof(T));

// A kernel computes out[k][0 .. columns) for its `count` rows y, y + 1: rows[(dz + rz) (2 ry + count) + dy + ry] points
// to the neighbor at (dz, dy, 0) of the first cell of row y. Results may not overlap neighbors. `past_caches`: results
// are aligned to 64 bytes and not read again soon.
template <class T>
using RowKernel = void (*)(const ConvolveMask<T>& mask, const T* const* rows, T* const* out, Index columns,
                           bool past_caches);

template <class T>
struct RowKernels {
  RowKernel<T> one = nullptr, two = nullptr;  // rows at once; two share what they read
};

constexpr int most_reach = 4;  // largest radius of a mask

enum class RowLanes { base, wide };

// Whether this program and processor have the wide kernels.
bool have_wide_rows();

// Null if there are none of that width.
template <class T>
RowKernels<T> row_kernels(MaskKind kind, RowLanes lanes);

}  // namespace halocline::diffusion
