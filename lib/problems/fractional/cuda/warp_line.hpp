// A line along x that the lanes of a warp, or of half of one, solve in shared memory, a strip each. For .cu files.
#pragma once

#include "lib/problems/fractional/cuda/line_memory.hpp"
#include "lib/problems/fractional/cuda/warp_strips.hpp"

namespace halocline::fractional {

constexpr int row_threads = 128;  // of a block whose warps solve lines
inline int lanes_of_line(const strips::StripLayout& layout) {
  return layout.count <= most_lanes / 2 ? most_lanes / 2 : most_lanes;
}

// Lines that a lane has a strip of, and blocks of a multiprocessor. Two lines read factors once, in as many registers
// more; more blocks leave the first cache too small for the factors: as measured, docs/performance/gpu.md.
struct RowShape {
  int lines, blocks;
  // Of a block at a time.
  int lines_of_block(const strips::StripLayout& layout) const { return row_threads / lanes_of_line(layout) * lines; }
};

// Lanes threadIdx.x, lines threadIdx.y and, where a lane has several, as many further on.
template <int Length, class T, int lines>
class WarpLine {
 public:
  using P = OfLines<T, lines>;

  // By all threads of a block, which wait for each other afterwards. `memory`: LaneJoins<T>::size numbers.
  __device__ WarpLine(const strips::CommonLine<T>& line, T* memory)
      : line_(line),
        joins_{memory},
        lane_(static_cast<int>(threadIdx.x)),
        lanes_(static_cast<int>(blockDim.x)),
        has_strip_(lane_ < line.layout.count),
        strip_(has_strip_ ? lane_ : static_cast<int>(line.layout.count) - 1),
        rows_(line.layout, strip_) {
    joins_.set(line, static_cast<int>(threadIdx.y) * lanes_ + lane_, row_threads);
  }

  // Right-hand sides to the solution, of lines `distance` from each other. By all threads of a warp, which see what
  // others have put into them.
  __device__ __forceinline__ void solve(T* row, int distance) const {
    const RowsOfLanes<T, most_lanes> table{line_.table.data + strip_};
    P u[most_rows<Length>];
#pragma unroll
    for (int n = 0; n < lines; ++n) rows_.get(row + n * distance, [&](int i, T value) { u[i].of[n] = value; });
    const strips::Ends<P> ends =
        solve_tree_in_lanes(line_, joins_, lane_, lanes_, reduce_in_registers<Length>(table, rows_.rows, u));
    resolve_in_registers<Length>(table, rows_.rows, ends.first, ends.last, u);
    __syncwarp();  // lanes without a strip have read the last one
    if (has_strip_) {
#pragma unroll
      for (int n = 0; n < lines; ++n) rows_.set(row + n * distance, [&](int i) { return u[i].of[n]; });
    }
    __syncwarp();
  }

 private:
  const strips::CommonLine<T>& line_;
  LaneJoins<T> joins_;
  int lane_, lanes_;
  bool has_strip_;
  int strip_;
  StripOfLine<Length> rows_;
};

// A line to come, by those who will solve it.
template <class T>
__device__ __forceinline__ void prefetch_line(const T* line, int rows, int lane, int lanes) {
  constexpr int numbers = 128 / sizeof(T);  // that a request brings
  for (int i = numbers * lane; i < rows; i += numbers * lanes) prefetch(line + i);
}

}  // namespace halocline::fractional
