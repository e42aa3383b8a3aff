// Sweeps along x whose rows have their coefficients in common, in one pass over memory. A warp, or half of one, solves
// a line, a strip in each lane; lines come and go through shared memory, 16 bytes at a time. Lines of more strips than
// lanes are solved by blocks.
#include <algorithm>

#include "lib/problems/fractional/cuda/two_numbers.hpp"
#include "lib/problems/fractional/cuda/warp_strips.hpp"
#include "lib/problems/fractional/step/sweep_path.hpp"

namespace halocline::fractional {
namespace {

constexpr int most_block_strips = 64;
constexpr int block_threads = 512;  // at most
constexpr int row_threads = 128;    // of a block whose warps solve lines
constexpr int row_blocks = 4;       // of these, of a multiprocessor

constexpr int line_numbers = 16;  // that a request to prefetch brings

// Shared memory of a line: pairs stay together, strips begin in different banks.
__device__ inline int place_of_row(int i) { return i + 2 * (i / 16); }
Index places_of_line(Index rows) { return (rows + 2 * (rows / 16) + 3) / 2 * 2; }

struct RowSweep {
  strips::CommonLine<double> line;
  Index lines, distance;  // from line to line
  double* w;
  int places;  // of a line in shared memory
};

// A line to shared memory and back, by some threads; with the number behind an odd last row.
__device__ inline void bring(double* to, const double* line, int rows, int thread, int threads) {
  for (int i = 2 * thread; i < rows; i += 2 * threads) __pipeline_memcpy_async(to + place_of_row(i), line + i, 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
}
__device__ inline void take_back(double* line, const double* from, int rows, int thread, int threads) {
  for (int i = 2 * thread; i < rows; i += 2 * threads)
    *reinterpret_cast<TwoNumbers*>(line + i) = *reinterpret_cast<const TwoNumbers*>(from + place_of_row(i));
}

// Lanes threadIdx.x, lines threadIdx.y.
template <int Length>
__global__ void __launch_bounds__(row_threads, row_blocks) solve_in_warps(RowSweep sweep) {
  const strips::StripLayout& layout = sweep.line.layout;
  const int lane = static_cast<int>(threadIdx.x), lanes = static_cast<int>(blockDim.x);
  const int all = static_cast<int>(layout.rows), count = static_cast<int>(layout.count);
  const LaneJoins joins{dynamic_shared<double>()};
  joins.set(sweep.line, static_cast<int>(threadIdx.y) * lanes + lane, row_threads);
  double* const row = dynamic_shared<double>() + LaneJoins::size + static_cast<int>(threadIdx.y) * sweep.places;
  const bool has_strip = lane < count;
  const int strip = has_strip ? lane : count - 1, begin = static_cast<int>(layout.begin(strip));
  const int rows = layout.size(strip);
  const RowsOfLanes<most_lanes> table{sweep.line.table.data + strip};
  __syncthreads();
  for (Index first = static_cast<Index>(blockIdx.x) * blockDim.y; first < sweep.lines;
       first += static_cast<Index>(gridDim.x) * blockDim.y) {
    const Index number = first + threadIdx.y;
    double* const w = sweep.w + (number < sweep.lines ? number : first) * sweep.distance;
    bring(row, w, all, lane, lanes);
    __syncwarp();
    if (const Index next = number + static_cast<Index>(gridDim.x) * blockDim.y; next < sweep.lines)
      for (int i = line_numbers * lane; i < all; i += line_numbers * lanes)
        prefetch(sweep.w + next * sweep.distance + i);
    double u[most_rows<Length>];
    strips::each_row<most_rows<Length>, least_rows<Length>>(rows, [&](int i) { u[i] = row[place_of_row(begin + i)]; });
    const strips::Ends<double> ends =
        solve_tree_in_lanes(sweep.line, joins, lane, lanes, reduce_in_registers<Length>(table, rows, u));
    resolve_in_registers<Length>(table, rows, ends.first, ends.last, u);
    __syncwarp();  // lanes without a strip have read the last one
    if (has_strip)
      strips::each_row<most_rows<Length>, least_rows<Length>>(rows,
                                                              [&](int i) { row[place_of_row(begin + i)] = u[i]; });
    __syncwarp();
    if (number < sweep.lines) take_back(w, row, all, lane, lanes);
    __syncwarp();
  }
}

// Strips threadIdx.x, lines threadIdx.y.
template <int Length>
__global__ void __launch_bounds__(block_threads) solve_in_blocks(RowSweep sweep) {
  const strips::StripLayout& layout = sweep.line.layout;
  const int strip = static_cast<int>(threadIdx.x), count = static_cast<int>(blockDim.x);
  const int lines = static_cast<int>(blockDim.y), all = static_cast<int>(layout.rows);
  const Index number = static_cast<Index>(blockIdx.x) * lines + threadIdx.y;
  double* const row = dynamic_shared<double>() + static_cast<int>(threadIdx.y) * sweep.places;
  double* const w = sweep.w + (number < sweep.lines ? number : 0) * sweep.distance;
  bring(row, w, all, strip, count);
  __syncthreads();
  const int begin = static_cast<int>(layout.begin(strip)), rows = layout.size(strip);
  double u[most_rows<Length>];
  strips::each_row<most_rows<Length>, least_rows<Length>>(rows, [&](int i) { u[i] = row[place_of_row(begin + i)]; });
  solve_strip_in_block<Length>(
      sweep.line, RowsOfLanes<most_block_strips>{sweep.line.table.data + strip}, strip, rows, u,
      {dynamic_shared<double>() + lines * sweep.places + static_cast<int>(threadIdx.y) * numbers_of_ends(count), 1});
  strips::each_row<most_rows<Length>, least_rows<Length>>(rows, [&](int i) { row[place_of_row(begin + i)] = u[i]; });
  __syncthreads();
  if (number < sweep.lines) take_back(w, row, all, strip, count);
}

// Lines of a block.
int lines_of(const strips::StripLayout& layout) {
  if (layout.count <= most_lanes) return row_threads / (layout.count <= most_lanes / 2 ? most_lanes / 2 : most_lanes);
  constexpr Index most_numbers = 9216;  // 74 KB
  return static_cast<int>(
      std::max<Index>(1, std::min(block_threads / layout.count, most_numbers / places_of_line(layout.rows))));
}
std::size_t bytes_of_rows(const strips::StripLayout& layout) {
  const int lines = lines_of(layout);
  const std::size_t rows = sizeof(double) * static_cast<std::size_t>(places_of_line(layout.rows) * lines);
  return rows + (layout.count <= most_lanes ? sizeof(double) * LaneJoins::size : bytes_of_ends(layout.count, lines));
}

}  // namespace

bool plan_sweep(const Executor& executor, const strips::StripLayout& layout) {
  return runs_block_kernels(executor) && layout.count <= most_block_strips &&
         bytes_of_rows(layout) <= block_limits(executor).shared_bytes;
}

void sweep_rows(const Executor& executor, const Label& label, const strips::CommonLine<double>& line,
                const strips::ContiguousLines& lines, double* w) {
  const strips::StripLayout& layout = line.layout;
  require(lines.distance % 2 == 0 && line.table.strip_stride == 1, "a sweep along x: pairs of rows, tables by row");
  const int together = lines_of(layout);
  const auto blocks = static_cast<unsigned>((lines.count + together - 1) / together);
  const RowSweep sweep{line, lines.count, lines.distance, w, static_cast<int>(places_of_line(layout.rows))};
  const std::size_t shared = bytes_of_rows(layout);
  with_length(layout, [&](auto length) {
    if (layout.count > most_lanes) {
      const dim3 threads{static_cast<unsigned>(layout.count), static_cast<unsigned>(together)};
      return launch_blocks(executor, label, {{blocks}, threads, shared}, solve_in_blocks<length>, sweep);
    }
    const auto resident = static_cast<unsigned>(block_limits(executor).multiprocessors * row_blocks);
    const dim3 threads{static_cast<unsigned>(row_threads / together), static_cast<unsigned>(together)};
    launch_blocks(executor, label, {{std::min(blocks, resident)}, threads, shared}, solve_in_warps<length>, sweep);
  });
}

}  // namespace halocline::fractional
