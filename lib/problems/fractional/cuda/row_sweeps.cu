// Sweeps along x whose rows have their coefficients in common, in one pass over memory. A warp, or half of one, solves
// a line, a strip in each lane; lines come and go through shared memory, two rows at a time. Lines of more strips than
// lanes are solved by blocks.
#include <algorithm>

#include "lib/problems/fractional/cuda/line_memory.hpp"
#include "lib/problems/fractional/cuda/warp_line.hpp"
#include "lib/problems/fractional/step/sweep_path.hpp"
#include "lib/problems/fractional/storage/node_kernels.hpp"

namespace halocline::fractional {
namespace {

constexpr int block_threads = 512;  // at most

template <class T>
struct RowSweep {
  strips::CommonLine<T> line;
  strips::ContiguousLines lines;
  T* w;
  int places;  // of a line in shared memory
};

// Lanes threadIdx.x, lines threadIdx.y.
template <int Length, class T>
__global__ void __launch_bounds__(row_threads, row_blocks<T>) solve_in_warps(RowSweep<T> sweep) {
  const int lane = static_cast<int>(threadIdx.x), lanes = static_cast<int>(blockDim.x);
  const int all = static_cast<int>(sweep.line.layout.rows);
  const WarpLine<Length, T> of(sweep.line, dynamic_shared<T>());
  T* const row = dynamic_shared<T>() + LaneJoins<T>::size + static_cast<int>(threadIdx.y) * sweep.places;
  __syncthreads();
  for (Index first = static_cast<Index>(blockIdx.x) * blockDim.y; first < sweep.lines.count;
       first += static_cast<Index>(gridDim.x) * blockDim.y) {
    const Index number = first + threadIdx.y;
    T* const w = sweep.w + sweep.lines.start(number < sweep.lines.count ? number : first);
    bring(row, w, all, lane, lanes);
    __syncwarp();
    if (const Index next = number + static_cast<Index>(gridDim.x) * blockDim.y; next < sweep.lines.count)
      prefetch_line(sweep.w + sweep.lines.start(next), all, lane, lanes);
    of.solve(row);
    if (number < sweep.lines.count) take_back(w, row, all, lane, lanes);
    __syncwarp();
  }
}

// Strips threadIdx.x, lines threadIdx.y.
template <int Length, class T>
__global__ void __launch_bounds__(block_threads) solve_in_blocks(RowSweep<T> sweep) {
  const strips::StripLayout& layout = sweep.line.layout;
  const int strip = static_cast<int>(threadIdx.x), count = static_cast<int>(blockDim.x);
  const int lines = static_cast<int>(blockDim.y), all = static_cast<int>(layout.rows);
  const Index number = static_cast<Index>(blockIdx.x) * lines + threadIdx.y;
  T* const row = dynamic_shared<T>() + static_cast<int>(threadIdx.y) * sweep.places;
  T* const w = sweep.w + sweep.lines.start(number < sweep.lines.count ? number : 0);
  bring(row, w, all, strip, count);
  __syncthreads();
  const int begin = static_cast<int>(layout.begin(strip)), rows = layout.size(strip);
  T u[most_rows<Length>];
  strips::each_row<most_rows<Length>, least_rows<Length>>(rows, [&](int i) { u[i] = row[place_of_row(begin + i)]; });
  solve_strip_in_block<Length, T>(
      sweep.line, RowsOfLanes<T, most_block_strips>{sweep.line.table.data + strip}, strip, rows, u,
      {dynamic_shared<T>() + lines * sweep.places + static_cast<int>(threadIdx.y) * numbers_of_ends(count), 1});
  strips::each_row<most_rows<Length>, least_rows<Length>>(rows, [&](int i) { row[place_of_row(begin + i)] = u[i]; });
  __syncthreads();
  if (number < sweep.lines.count) take_back(w, row, all, strip, count);
}

// Lines of a block.
int lines_of(const strips::StripLayout& layout) {
  if (layout.count <= most_lanes) return lines_of_warps(layout);
  constexpr Index most_numbers = 9216;  // 74 KB
  return static_cast<int>(
      std::max<Index>(1, std::min(block_threads / layout.count, most_numbers / places_of_line(layout.rows))));
}
template <class T>
std::size_t bytes_of_rows(const strips::StripLayout& layout) {
  const int lines = lines_of(layout);
  const std::size_t rows = sizeof(T) * static_cast<std::size_t>(places_of_line(layout.rows) * lines);
  return rows + (layout.count <= most_lanes ? sizeof(T) * LaneJoins<T>::size : bytes_of_ends<T>(layout.count, lines));
}

template <class T>
void launch_lines(const Executor& executor, const Label& label, const strips::CommonLine<T>& line,
                  const strips::ContiguousLines& lines, T* w) {
  const strips::StripLayout& layout = line.layout;
  require(lines.distance % 2 == 0 && lines.block % 2 == 0 && line.table.strip_stride == 1,
          "a sweep along x: pairs of rows, tables by row");
  const int together = lines_of(layout);
  const auto blocks = static_cast<unsigned>((lines.count + together - 1) / together);
  const RowSweep<T> sweep{line, lines, w, static_cast<int>(places_of_line(layout.rows))};
  const std::size_t shared = bytes_of_rows<T>(layout);
  with_length(layout, [&](auto length) {
    if (layout.count > most_lanes) {
      const dim3 threads{static_cast<unsigned>(layout.count), static_cast<unsigned>(together)};
      return launch_blocks(executor, label, {{blocks}, threads, shared}, solve_in_blocks<length, T>, sweep);
    }
    const auto resident = static_cast<unsigned>(block_limits(executor).multiprocessors * row_blocks<T>);
    const dim3 threads{static_cast<unsigned>(row_threads / together), static_cast<unsigned>(together)};
    launch_blocks(executor, label, {{std::min(blocks, resident)}, threads, shared}, solve_in_warps<length, T>, sweep);
  });
}

}  // namespace

template <class T>
bool plan_sweep(const Executor& executor, const strips::StripLayout& layout) {
  return runs_block_kernels(executor) && layout.count <= most_block_strips &&
         bytes_of_rows<T>(layout) <= block_limits(executor).shared_bytes;
}
template bool plan_sweep<double>(const Executor&, const strips::StripLayout&);
template bool plan_sweep<float>(const Executor&, const strips::StripLayout&);

template <class T>
void sweep_rows(const Executor& executor, const Label& label, const strips::CommonLine<T>& line,
                const strips::ContiguousLines& lines, T* w) {
  launch_lines(executor, label, line, lines, w);
}
template void sweep_rows(const Executor&, const Label&, const strips::CommonLine<double>&,
                         const strips::ContiguousLines&, double*);
template void sweep_rows(const Executor&, const Label&, const strips::CommonLine<float>&,
                         const strips::ContiguousLines&, float*);

}  // namespace halocline::fractional
