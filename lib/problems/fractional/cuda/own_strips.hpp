// A line whose rows have coefficients of their own, solved by the threads of a block, one for each strip: what
// strips::solve_own_line() does. For .cu files.
#pragma once

#include "lib/problems/fractional/cuda/block_strips.hpp"
#include "lib/problems/fractional/step/sweep_path.hpp"

namespace halocline::fractional {

// Rows of one strip. memory.at(i): D of row i in shared memory; a row that is done with its own leaves e of elimination
// there.
template <class Memory>
struct OwnRows {
  const OwnSweep& sweep;
  Memory memory;
  double D_before, D_behind;  // of the strip's first and last row
  Index at, begin;            // of the first row: in the field, of the line
  int rows;
  __device__ double D(int i) const { return i < 0 ? D_before : i < rows ? memory.at(i) : D_behind; }
  __device__ VaryingAxis::Node<double> node(int i) const {
    const VaryingAxis& axis = sweep.rows;
    if (axis.v.data == nullptr) return {D(i), axis.v.number};
    const Index beside = i < 0      ? at + axis.shape.before(begin)
                         : i < rows ? at + i * axis.shape.stride
                                    : at + (rows - 1) * axis.shape.stride + axis.shape.behind(begin + rows - 1);
    return {D(i), axis.v.data[beside]};
  }
};

// Right-hand sides to the solution, in registers. By all threads of the block; a line's own `ends`.
template <int Length, class Memory>
__device__ __forceinline__ void solve_own_strip_in_block(const OwnRows<Memory>& own, int strip,
                                                         double (&u)[most_rows<Length>],
                                                         const SharedEnds<double, 3>& ends) {
  const OwnSweep& sweep = own.sweep;
  const Index stride = sweep.rows.shape.stride;
  double v[most_rows<Length>];
  RowWalk<double> walk(sweep.rows, own.node(-1), own.node(0));
  const auto row = [&](int i) {
    return sweep_row(walk.next(sweep.rows, own.begin + i, own.node(i + 1)), sweep.nu.load<double>(own.at + i * stride),
                     u[i]);
  };
  const auto keep = [&](int i, const strips::EliminatedRow<double>& of) {
    u[i] = of.g;
    v[i] = of.v;
    own.memory.at(i) = of.e;
  };
  strips::set_response(ends, strip,
                       strips::reduce_own_strip<double, most_rows<Length>, least_rows<Length>>(own.rows, row, keep));
  __syncthreads();
  solve_tree_in_block<double>(sweep.line, strip, ends);
  const double L = ends.get(strip - 1, 0, 1);
  strips::resolve_own_strip<double, most_rows<Length>, least_rows<Length>>(
      own.rows, ends.get(strip + 1, 0, 0),
      [&](int i) {
        return strips::EliminatedRow<double>{u[i], v[i], own.memory.at(i)}.knowing(L);
      },
      [&](int i, double value) { u[i] = value; });
}

}  // namespace halocline::fractional
