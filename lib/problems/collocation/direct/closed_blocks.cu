// The kernels of closed_blocks.hpp.
#include "lib/problems/collocation/direct/closed_blocks.hpp"

#include <algorithm>

#include "gpu/block_kernel.hpp"

namespace halocline::collocation {
namespace {

constexpr int block_threads = 256, split_threads = 256;

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

// Some lines at a time: blockIdx.y is the line, blockIdx.x the window of columns or group of rows.
struct SplitLines {
  SplitView split;
  ClosedView axis;
  double* work;

  __device__ SplitLine<WholeBlock> line() const {
    return {
        split, axis, work + 2 * blockIdx.y * split.fourier.size, dynamic_shared<double>(), {threadIdx.x, blockDim.x}};
  }
};
__device__ ColumnPair own_line(ColumnPair pair) {
  pair.data += blockIdx.y * pair.lane_step;
  return pair;
}

__global__ void __launch_bounds__(split_threads) analyze_columns_kernel(const SplitLines lines, const ColumnPair from) {
  lines.line().analyze_columns(own_line(from), static_cast<LocalIndex>(blockIdx.x));
}
__global__ void __launch_bounds__(split_threads) analyze_rows_kernel(const SplitLines lines, const ColumnPair to) {
  lines.line().analyze_rows(own_line(to), static_cast<LocalIndex>(blockIdx.x));
}
__global__ void __launch_bounds__(split_threads) synthesize_rows_kernel(const SplitLines lines, const ColumnPair from) {
  lines.line().synthesize_rows(own_line(from), static_cast<LocalIndex>(blockIdx.x));
}
__global__ void __launch_bounds__(split_threads)
    synthesize_columns_kernel(const SplitLines lines, const ColumnPair to) {
  lines.line().synthesize_columns(own_line(to), static_cast<LocalIndex>(blockIdx.x));
}

Blocks split_blocks(LocalIndex each, Index lines, LocalIndex numbers) {
  return {{static_cast<unsigned>(each), static_cast<unsigned>(lines)},
          {split_threads},
          2 * sizeof(double) * static_cast<std::size_t>(numbers)};
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

std::optional<SplitView> split_for_blocks(const Executor& executor, const FourierView& fourier) {
  if (!runs_block_kernels(executor) || fourier.chirp != nullptr || closed_blocks_fit(executor, fourier))
    return std::nullopt;
  const SplitView split = split_in_middle(fourier);
  const auto most = static_cast<std::size_t>(std::max(split.numbers_of_window(), split.numbers_of_group()));
  if (2 * sizeof(double) * most > block_limits(executor).shared_bytes) return std::nullopt;
  return split;
}

// What lies between the passes stays in the second cache.
Index lines_at_a_time(const SplitView& split) {
  constexpr Index bytes = Index{24} << 20;
  const Index line = 2 * static_cast<Index>(sizeof(double)) * split.fourier.size;
  return std::clamp<Index>(bytes / line, 1, 32768);
}

void analyze_split(const Executor& executor, const SplitView& split, const ClosedView& axis, Index lines,
                   const ColumnPair& from, const ColumnPair& to, double* work) {
  const Blocks columns = split_blocks(split.windows(), lines, split.numbers_of_window());
  const Blocks rows = split_blocks(split.groups(), lines, split.numbers_of_group());
  const SplitLines all{split, axis, work};
  launch_blocks(executor, "closed form: into modes, columns", columns, analyze_columns_kernel, all, from);
  launch_blocks(executor, "closed form: into modes, rows", rows, analyze_rows_kernel, all, to);
}

void synthesize_split(const Executor& executor, const SplitView& split, const ClosedView& axis, Index lines,
                      const ColumnPair& line, double* work) {
  const Blocks rows = split_blocks(split.groups(), lines, split.numbers_of_group());
  const Blocks columns = split_blocks(split.mirrored_windows(), lines, split.numbers_of_window());
  const SplitLines all{split, axis, work};
  launch_blocks(executor, "closed form: out of modes, rows", rows, synthesize_rows_kernel, all, line);
  launch_blocks(executor, "closed form: out of modes, columns", columns, synthesize_columns_kernel, all, line);
}

}  // namespace halocline::collocation
