// Row kernels: one step for a run of cells of one row, all neighbors in memory. The inner loop of the host's sweeps,
// compiled for the processor that the program is built for and, on x86-64, for AVX-512; chosen at run time. All give
// the bits of convolve::update.
#pragma once

#include "gpu/convolve.hpp"

namespace halocline::diffusion {

// Rows and columns of cells start at multiples of this in memory, a cache line.
template <class T>
constexpr Index line_cells = 64 / static_cast<Index>(sizeof(T));

// rows[(dz + rz) (2 ry + 1) + dy + ry] points to the neighbor at (dz, dy, 0) of the first cell; out[0 .. columns) may
// not overlap them. `past_caches`: out is aligned to 64 bytes and not read again soon.
template <class T>
using RowKernel = void (*)(const ConvolveMask<T>& mask, const T* const* rows, T* out, Index columns, bool past_caches);

enum class RowLanes { base, wide };

// Whether this program and processor have the wide kernels.
bool have_wide_rows();

// Null if there is none of that width.
template <class T>
RowKernel<T> row_kernel(MaskKind kind, RowLanes lanes);

}  // namespace halocline::diffusion
