// A line along x that the lanes of a warp, or of half of one, solve in shared memory, a strip each. For .cu files.
#pragma once

#include "lib/problems/fractional/cuda/line_memory.hpp"
#include "lib/problems/fractional/cuda/warp_strips.hpp"

namespace halocline::fractional {

constexpr int row_threads = 128;  // of a block whose warps solve lines
template <class T>
constexpr int row_blocks = sizeof(T) < sizeof(double) ? 6 : 4;  // of these, of a multiprocessor
// Lines of such a block at a time.
inline int lines_of_warps(const strips::StripLayout& layout) {
  return row_threads / (layout.count <= most_lanes / 2 ? most_lanes / 2 : most_lanes);
}

// Lanes threadIdx.x, lines threadIdx.y.
template <int Length, class T>
class WarpLine {
 public:
  // By all threads of a block, which wait for each other afterwards. `memory`: LaneJoins<T>::size numbers.
  __device__ WarpLine(const strips::CommonLine<T>& line, T* memory)
      : line_(line),
        joins_{memory},
        lane_(static_cast<int>(threadIdx.x)),
        lanes_(static_cast<int>(blockDim.x)),
        has_strip_(lane_ < line.layout.count),
        strip_(has_strip_ ? lane_ : static_cast<int>(line.layout.count) - 1),
        begin_(static_cast<int>(line.layout.begin(strip_))),
        rows_(line.layout.size(strip_)) {
    joins_.set(line, static_cast<int>(threadIdx.y) * lanes_ + lane_, row_threads);
  }

  // Right-hand sides to the solution. By all threads of a warp, which see what others have put into `row`.
  __device__ __forceinline__ void solve(T* row) const {
    const RowsOfLanes<T, most_lanes> table{line_.table.data + strip_};
    T u[most_rows<Length>];
    strips::each_row<most_rows<Length>, least_rows<Length>>(rows_,
                                                            [&](int i) { u[i] = row[place_of_row(begin_ + i)]; });
    const strips::Ends<T> ends =
        solve_tree_in_lanes(line_, joins_, lane_, lanes_, reduce_in_registers<Length>(table, rows_, u));
    resolve_in_registers<Length>(table, rows_, ends.first, ends.last, u);
    __syncwarp();  // lanes without a strip have read the last one
    if (has_strip_)
      strips::each_row<most_rows<Length>, least_rows<Length>>(rows_,
                                                              [&](int i) { row[place_of_row(begin_ + i)] = u[i]; });
    __syncwarp();
  }

 private:
  const strips::CommonLine<T>& line_;
  LaneJoins<T> joins_;
  int lane_, lanes_;
  bool has_strip_;
  int strip_, begin_, rows_;
};

// A line to come, by those who will solve it.
template <class T>
__device__ __forceinline__ void prefetch_line(const T* line, int rows, int lane, int lanes) {
  constexpr int numbers = 128 / sizeof(T);  // that a request brings
  for (int i = numbers * lane; i < rows; i += numbers * lanes) prefetch(line + i);
}

}  // namespace halocline::fractional
