// The kernels of closed_blocks.hpp.
#include "lib/problems/collocation/direct/closed_blocks.hpp"

#include <algorithm>

#include "gpu/block_kernel.hpp"

namespace halocline::collocation {
namespace {

constexpr int block_threads = 256;

// All threads of a block.
struct WholeBlock {
  Index index, count;
  __device__ void meet() const { __syncthreads(); }
};

__device__ ClosedLine<double, WholeBlock> line_of(const FourierView& fourier, const ClosedView& axis) {
  double* memory = dynamic_shared<double>();
  return {fourier, axis, {memory, memory + fourier.size, 1}, {threadIdx.x, blockDim.x}};
}

__global__ void __launch_bounds__(block_threads)
    analyze_kernel(const FourierView fourier, const ClosedView axis, ColumnPair from, ColumnPair to) {
  from.data += blockIdx.x * from.lane_step;
  to.data += blockIdx.x * to.lane_step;
  line_of(fourier, axis).analyze(from, to);
}

__global__ void __launch_bounds__(block_threads)
    synthesize_kernel(const FourierView fourier, const ClosedView axis, ColumnPair line) {
  line.data += blockIdx.x * line.lane_step;
  line_of(fourier, axis).synthesize(line, line);
}

__global__ void __launch_bounds__(block_threads)
    solve_across_kernel(const FourierView fourier, const ClosedView axis, ColumnPair lines, const double* shifts,
                        const Index shift_stride) {
  lines.data += blockIdx.x;
  line_of(fourier, axis).solve(lines, shifts[blockIdx.x], shifts[shift_stride + blockIdx.x]);
}

std::size_t shared_bytes(const FourierView& fourier) {
  return 2 * sizeof(double) * static_cast<std::size_t>(fourier.size);
}

Blocks blocks(const FourierView& fourier, Index count) {
  return {{static_cast<unsigned>(count)}, {block_threads}, shared_bytes(fourier)};
}

}  // namespace

bool closed_blocks_fit(const Executor& executor, const FourierView& fourier) {
  return runs_block_kernels(executor) && shared_bytes(fourier) <= block_limits(executor).shared_bytes;
}

void analyze_by_blocks(const Executor& executor, const FourierView& fourier, const ClosedView& axis, Index lines,
                       const ColumnPair& from, const ColumnPair& to) {
  launch_blocks(executor, "closed form: into modes", blocks(fourier, lines), analyze_kernel, fourier, axis, from, to);
}

void synthesize_by_blocks(const Executor& executor, const FourierView& fourier, const ClosedView& axis, Index lines,
                          const ColumnPair& line) {
  launch_blocks(executor, "closed form: out of modes", blocks(fourier, lines), synthesize_kernel, fourier, axis, line);
}

void solve_across_by_blocks(const Executor& executor, const FourierView& fourier, const ClosedView& axis, Index columns,
                            const ColumnPair& lines, const double* shifts, Index shift_stride) {
  launch_blocks(executor, "closed form: across lines", blocks(fourier, columns), solve_across_kernel, fourier, axis,
                lines, shifts, shift_stride);
}

}  // namespace halocline::collocation
