// Lines solved by the threads of a block, one for each strip: what strips::solve_line() does, with the pairs of a level
// of the tree joined at the same time. For .cu files.
#pragma once

#include "gpu/block_kernel.hpp"
#include "lib/linalg/strips/tree_kernels.hpp"

namespace halocline::fractional {

// Strips have Length rows or one more, as strips::strip_layout() cuts them; Length 4 stands for all that are shorter,
// too. What is known of their rows spares every one of them a question.
template <int Length>
constexpr int most_rows = Length + 1;
template <int Length>
constexpr int least_rows = Length > 4 ? Length : 1;

constexpr int most_block_strips = 64;        // of a line
constexpr Index most_blocks_across = 65535;  // of a grid, along y and z

// launch(integral_constant) with the Length of strips.
template <class Launch>
void with_length(const strips::StripLayout& layout, const Launch& launch) {
  if (layout.length <= 4) return launch(std::integral_constant<int, 4>());
  if (layout.length == 8) return launch(std::integral_constant<int, 8>());
  if (layout.length == 16) return launch(std::integral_constant<int, 16>());
  require(layout.length == 32, "a sweep: strips of another length");
  launch(std::integral_constant<int, 32>());
}

// Rows of one strip in a table whose distances the compiler knows.
template <class T, Index row_stride, Index factor_stride>
struct TableRows {
  const T* data;  // of the strip
  __device__ T operator()(strips::StripFactor factor, int row, Index /*strip*/) const {
    return __ldg(data + row * row_stride + factor * factor_stride);
  }
};
// Tables by strip, and by row for at most 32 strips or for more.
template <class T>
using RowsOfStrip = TableRows<T, strips::strip_factors, 1>;
template <class T, Index places>
using RowsOfLanes = TableRows<T, strips::strip_factors * places, places>;

// u_i of the rows of a strip in registers, right-hand sides first.
template <int Length, class T, class Table>
__device__ __forceinline__ strips::Ends<T> reduce_in_registers(const Table& table, int rows,
                                                               T (&u)[most_rows<Length>]) {
  return strips::reduce_strip<T, most_rows<Length>, least_rows<Length>>(
      table, 0, rows, [&](int i) { return u[i]; }, [&](int i, T value) { u[i] = value; });
}
template <int Length, class T, class Table>
__device__ __forceinline__ void resolve_in_registers(const Table& table, int rows, T L, T R,
                                                     T (&u)[most_rows<Length>]) {
  strips::resolve_strip<T, most_rows<Length>, least_rows<Length>>(
      table, 0, rows, L, R, [&](int i) { return u[i]; }, [&](int i, T value) { u[i] = value; });
}

// Ends of the strips of a line in shared memory, `stride` numbers from each other: numbers_of_ends() of them.
template <class T, int kinds = 1>
struct SharedEnds {
  T* data;
  int stride;
  __device__ T& at(int place, int kind, int side) const {
    return data[(((place + 1) * kinds + kind) * 2 + side) * stride];
  }
  __device__ T get(int place, int kind, int side) const { return at(place, kind, side); }
  __device__ void set(int place, int kind, int side, T value) const { at(place, kind, side) = value; }
};
// Of a line.
__device__ __host__ inline int numbers_of_ends(int strips, int kinds = 1) { return 2 * kinds * (strips + 2); }
template <class T>
std::size_t bytes_of_ends(Index strips, int lines, int kinds = 1) {
  return sizeof(T) * static_cast<std::size_t>(numbers_of_ends(static_cast<int>(strips), kinds) * lines);
}

// Every strip but the last is the end of A in one pair, which its thread joins and parts. Line: CommonLine<T> or
// OwnLine.
template <class T, class Line>
__device__ void solve_tree_in_block(const Line& line, int strip, const SharedEnds<T, Line::kinds>& ends) {
  const int count = static_cast<int>(line.layout.count);
  const int size = (strip + 1) & -(strip + 1), behind = strip + size;  // strips of A; last one of B
  const strips::JoinStep step{strip, strip + 1 - size, strip, behind < count ? behind : count - 1};
  const bool joins = strip + 1 < count;
  int level = 1;
  for (; level < count; level *= 2) {
    if (joins && size == level) strips::join_nodes<T>(line, step, ends);
    __syncthreads();
  }
  if (strip == 0) strips::close_line<T>(line, count, ends);
  __syncthreads();
  for (level /= 2; level > 0; level /= 2) {
    if (joins && size == level) strips::part_nodes<T>(line, step, ends);
    __syncthreads();
  }
}

// right-hand sides of the strip to the solution, in registers. By all threads of the block, a line's own `ends`.
template <int Length, class T, class Table>
__device__ __forceinline__ void solve_strip_in_block(const strips::CommonLine<T>& line, const Table& table, int strip,
                                                     int rows, T (&u)[most_rows<Length>], const SharedEnds<T>& ends) {
  const strips::Ends<T> g = reduce_in_registers<Length>(table, rows, u);
  ends.set(strip, 0, 0, g.first);
  ends.set(strip, 0, 1, g.last);
  __syncthreads();
  solve_tree_in_block(line, strip, ends);
  resolve_in_registers<Length>(table, rows, ends.get(strip - 1, 0, 1), ends.get(strip + 1, 0, 0), u);
}

}  // namespace halocline::fractional
