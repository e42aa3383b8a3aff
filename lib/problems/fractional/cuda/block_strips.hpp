// Lines solved by the threads of a block, one for each strip: what strips::solve_line() does, with the pairs of a level
// of the tree joined at the same time. For .cu files.
#pragma once

#include "gpu/block_kernel.hpp"
#include "lib/linalg/strips/tree_kernels.hpp"

namespace halocline::fractional {

// Ends of the strips of a line in shared memory, `stride` numbers from each other: (strips + 2) * 2 of them.
struct SharedEnds {
  double* data;
  int stride;
  __device__ double& at(int place, int side) const { return data[(2 * (place + 1) + side) * stride]; }
  __device__ double get(int place, int /*kind*/, int side) const { return at(place, side); }
  __device__ void set(int place, int /*kind*/, int side, double value) const { at(place, side) = value; }
};

// Every strip but the last is the end of A in one pair, which its thread joins and parts.
__device__ inline void solve_tree_in_block(const strips::CommonLine<double>& line, int strip, const SharedEnds& ends) {
  const int count = static_cast<int>(line.layout.count);
  const int size = (strip + 1) & -(strip + 1), behind = strip + size;  // strips of A; last one of B
  const strips::JoinStep step{strip, strip + 1 - size, strip, behind < count ? behind : count - 1};
  const bool joins = strip + 1 < count;
  int level = 1;
  for (; level < count; level *= 2) {
    if (joins && size == level) strips::join_pair<double>(line.joins[strip], step, ends);
    __syncthreads();
  }
  if (strip == 0) strips::close_line<double>(line, count, ends);
  __syncthreads();
  for (level /= 2; level > 0; level /= 2) {
    if (joins && size == level) {
      const strips::Join<double>& join = line.joins[strip];
      strips::part_pair<double>(join.vx, join.wx, join.vy, join.wy, step, ends);
    }
    __syncthreads();
  }
}

// right-hand sides of the strip to the solution, in registers. By all threads of the block, a line's own `ends`.
template <int Most>
__device__ __forceinline__ void solve_strip_in_block(const strips::CommonLine<double>& line, int strip, int rows,
                                                     double (&u)[Most], const SharedEnds& ends) {
  const strips::Ends<double> g = strips::reduce_strip<double, Most>(
      line.table, strip, rows, [&](int i) { return u[i]; }, [&](int i, double value) { u[i] = value; });
  ends.set(strip, 0, 0, g.first);
  ends.set(strip, 0, 1, g.last);
  __syncthreads();
  solve_tree_in_block(line, strip, ends);
  strips::resolve_strip<double, Most>(
      line.table, strip, rows, ends.get(strip - 1, 0, 1), ends.get(strip + 1, 0, 0), [&](int i) { return u[i]; },
      [&](int i, double value) { u[i] = value; });
}

// launch(integral_constant) with a number of rows that no strip exceeds.
template <class Launch>
void with_most_rows(const strips::StripLayout& layout, const Launch& launch) {
  const Index most = (layout.rows + layout.count - 1) / layout.count;
  if (most <= 9) return launch(std::integral_constant<int, 9>());
  if (most <= 17) return launch(std::integral_constant<int, 17>());
  launch(std::integral_constant<int, strips::longest_strip>());
}

}  // namespace halocline::fractional
