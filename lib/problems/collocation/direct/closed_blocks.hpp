// The passes of ClosedBasis by blocks of GPU threads, a line or column per block, its Fourier transform in shared
// memory; twins of AlongLineBody and AcrossLinesBody. In a CPU build nothing fits.
#pragma once

#include <optional>

#include "lib/base/executor.hpp"
#include "lib/problems/collocation/direct/split_kernels.hpp"

namespace halocline::collocation {

// Whether the executor runs block kernels and one of its blocks holds a transform.
bool closed_blocks_fit(const Executor& executor, const FourierView& fourier);
void analyze_by_blocks(const Executor& executor, const FourierView& fourier, const ClosedView& axis, Index lines,
                       const ColumnPair& from, const ColumnPair& to);
void synthesize_by_blocks(const Executor& executor, const FourierView& fourier, const ClosedView& axis, Index lines,
                          const ColumnPair& line);
void solve_across_by_blocks(const Executor& executor, const FourierView& fourier, const ClosedView& axis, Index columns,
                            const ColumnPair& lines, const double* shifts, Index shift_stride);

// Along lines that no block holds, in two passes (split_kernels.hpp), some lines at a time. Nothing where the executor
// runs no block kernels, where a line is short enough for one block, or has a length that takes a convolution.
std::optional<SplitView> split_for_blocks(const Executor& executor, const FourierView& fourier);
Index lines_at_a_time(const SplitView& split);  // with work[2 * size] each
void analyze_split(const Executor& executor, const SplitView& split, const ClosedView& axis, Index lines,
                   const ColumnPair& from, const ColumnPair& to, double* work);
void synthesize_split(const Executor& executor, const SplitView& split, const ClosedView& axis, Index lines,
                      const ColumnPair& line, double* work);

}  // namespace halocline::collocation
