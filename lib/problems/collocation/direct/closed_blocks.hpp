// The passes of ClosedBasis by blocks of GPU threads, a line or column per block, its Fourier transform in shared
// memory; twins of AlongLineBody and AcrossLinesBody. In a CPU build nothing fits.
#pragma once

#include "lib/base/executor.hpp"
#include "lib/problems/collocation/direct/closed_kernels.hpp"

namespace halocline::collocation {

// Whether the executor runs block kernels and one of its blocks holds a transform.
bool closed_blocks_fit(const Executor& executor, const FourierView& fourier);
void analyze_by_blocks(const Executor& executor, const FourierView& fourier, const ClosedView& axis, Index lines,
                       const ColumnPair& from, const ColumnPair& to);
void synthesize_by_blocks(const Executor& executor, const FourierView& fourier, const ClosedView& axis, Index lines,
                          const ColumnPair& line);
void solve_across_by_blocks(const Executor& executor, const FourierView& fourier, const ClosedView& axis, Index columns,
                            const ColumnPair& lines, const double* shifts, Index shift_stride);

}  // namespace halocline::collocation
