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

HALOCLINE_HD constexpr RowShape row_shape(int length, std::size_t number) {
  if (number < sizeof(double)) return {length > 16 ? 1 : 2, 5};
  return {1, length > 16 ? 2 : 4};
}

// Lanes threadIdx.x, lines threadIdx.y and, where a lane has several, as many further on.
template <int Length, class T>
__global__ void __launch_bounds__(row_threads, row_shape(Length, sizeof(T)).blocks) solve_in_warps(RowSweep<T> sweep) {
  const int lane = static_cast<int>(threadIdx.x), lanes = static_cast<int>(blockDim.x);
  const int all = static_cast<int>(sweep.line.layout.rows);
  constexpr int lines = row_shape(Length, sizeof(T)).lines;
  const WarpLine<Length, T, lines> of(sweep.line, dynamic_shared<T>());
  const int warps = static_cast<int>(blockDim.y), distance = warps * sweep.places;
  T* const row = dynamic_shared<T>() + LaneJoins<T>::size + static_cast<int>(threadIdx.y) * sweep.places;
  const Index step = static_cast<Index>(gridDim.x) * warps * lines;
  __syncthreads();
  for (Index first = static_cast<Index>(blockIdx.x) * warps * lines; first < sweep.lines.count; first += step) {
    const auto each = [&](const auto& call) {  // of the lane's lines
#pragma unroll
      for (int n = 0; n < lines; ++n) {
        const Index number = first + n * warps + threadIdx.y;
        call(number, row + n * distance);
      }
    };
    each([&](Index number, T* at) {
      start_bringing<Length>(at, sweep.w + sweep.lines.start(number < sweep.lines.count ? number : first), all, lane,
                             lanes);
    });
    finish_bringing();
    __syncwarp();
    each([&](Index number, T*) {
      if (number + step < sweep.lines.count)
        prefetch_line(sweep.w + sweep.lines.start(number + step), all, lane, lanes);
    });
    of.solve(row, distance);
    each([&](Index number, T* at) {
      if (number < sweep.lines.count) take_back<Length>(sweep.w + sweep.lines.start(number), at, all, lane, lanes);
    });
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
  bring<Length>(row, w, all, strip, count);
  __syncthreads();
  const StripOfLine<Length> of(layout, strip);
  T u[most_rows<Length>];
  of.get(row, [&](int i, T value) { u[i] = value; });
  solve_strip_in_block<Length, T>(
      sweep.line, RowsOfLanes<T, most_block_strips>{sweep.line.table.data + strip}, strip, of.rows, u,
      {dynamic_shared<T>() + lines * sweep.places + static_cast<int>(threadIdx.y) * numbers_of_ends(count), 1});
  of.set(row, [&](int i) { return u[i]; });
  __syncthreads();
  if (number < sweep.lines.count) take_back<Length>(w, row, all, strip, count);
}

template <class T>
RowShape row_shape(const strips::StripLayout& layout) {
  return row_shape(static_cast<int>(layout.length), sizeof(T));
}
// Lines of a block.
template <class T>
int lines_of(const strips::StripLayout& layout) {
  if (layout.count <= most_lanes) return row_shape<T>(layout).lines_of_block(layout);
  constexpr Index most_numbers = 9216;  // 74 KB
  return static_cast<int>(
      std::max<Index>(1, std::min(block_threads / layout.count, most_numbers / places_of_line(layout))));
}
template <class T>
std::size_t bytes_of_rows(const strips::StripLayout& layout) {
  const int lines = lines_of<T>(layout);
  const std::size_t rows = sizeof(T) * static_cast<std::size_t>(places_of_line(layout) * lines);
  return rows + (layout.count <= most_lanes ? sizeof(T) * LaneJoins<T>::size : bytes_of_ends<T>(layout.count, lines));
}

template <class T>
void launch_lines(const Executor& executor, const Label& label, const strips::CommonLine<T>& line,
                  const strips::ContiguousLines& lines, T* w) {
  const strips::StripLayout& layout = line.layout;
  require(lines.distance % 2 == 0 && lines.block % 2 == 0 && line.table.strip_stride == 1,
          "a sweep along x: pairs of rows, tables by row");
  const int together = lines_of<T>(layout);
  const auto blocks = static_cast<unsigned>((lines.count + together - 1) / together);
  const RowSweep<T> sweep{line, lines, w, static_cast<int>(places_of_line(layout))};
  const std::size_t shared = bytes_of_rows<T>(layout);
  with_length(layout, [&](auto length) {
    if (layout.count > most_lanes) {
      const dim3 threads{static_cast<unsigned>(layout.count), static_cast<unsigned>(together)};
      return launch_blocks(executor, label, {{blocks}, threads, shared}, solve_in_blocks<length, T>, sweep);
    }
    const auto resident = static_cast<unsigned>(block_limits(executor).multiprocessors * row_shape<T>(layout).blocks);
    const auto lanes = static_cast<unsigned>(lanes_of_line(layout));
    const dim3 threads{lanes, row_threads / lanes};
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
