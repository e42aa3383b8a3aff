// Batched solves of interleaved pentadiagonal lines whose right-hand side is what two neighboring lines contribute, by
// blocks of GPU threads: the fast form of EliminateBody and SubstituteBody in
// lib/problems/collocation/schur/chunked_kernels.hpp, to which it is compared
// (tests/unit/collocation/schur/test_schur.cpp).
//
// A line has `elements` of two rows with unknowns V and W each, stored [element][row][V, W][lane]; 32 coefficients per
// element as in lib/problems/collocation/schur/schur_kernels.hpp. All lines have the same matrices.
#pragma once

#include <span>

#include "lib/base/exact_sum.hpp"
#include "lib/base/executor.hpp"
#include "lib/problems/collocation/discretization/line_layout.hpp"

namespace halocline::collocation {

// Lines in groups of `lanes`; group -1, the last `in_ghost` groups and the one beyond lie in `ghost` in this order.
template <class T, int in_ghost>
struct LineGroupsOf {
  const T* x;
  const T* ghost;
  Index groups, group_size;
  HALOCLINE_HD const T* group(Index g) const {
    const Index number = ghost_number(g);
    return number < 0 ? x + g * group_size : ghost + number * group_size;
  }
  // Among the ghost groups, -1 for the others.
  HALOCLINE_HD Index ghost_number(Index g) const {
    if (g < 0) return 0;
    return g >= groups - in_ghost ? g - groups + in_ghost + 1 : -1;
  }
};
using LineGroups = LineGroupsOf<double, 2>;

struct LineSolve {
  const double* coefficients;
  Index elements;
  Index warm_up;         // elements after which a recurrence has forgotten how it began
  LineGroups neighbors;  // of group g: groups g + left and g + left + 1
  // Where ghost groups of the neighbors come from, [4][lanes], instead of neighbors.ghost: neighbors.x, or one of two
  // lines in `halo`, a line's values in a row. Null: they lie in neighbors.ghost.
  const GhostSource* sources;
  const double* halo;
  Index left;
  Index begin, end;  // groups to solve
  double* target;    // the solution, or what is left of `minuend` without it
  LineGroups minuend{nullptr, nullptr, 0, 0};
  const double* weight = nullptr;  // for the second sum; null: the minuend itself
  const Index* lengths = nullptr;  // with a minuend: lines per lane, beyond which the target is zero
  int sums = 2;                    // {(target, target), (target, weight)}; five: those of ProductDots, with a weight
};

// Whether the kernel takes these lines: it needs a recurrence that forgets within a fraction of its tile of 256
// elements, or a line that fits the tile, and a CUDA device.
bool can_solve_lines(const Executor& executor, Index elements, Index warm_up);

// target = solution. Traffic per group: reads the neighbors, one of them from cache, and writes the target.
void solve_lines(const Executor& executor, const Label& label, const LineSolve& lines);
// target = minuend - solution; adds its sums, line by line and tile by tile, to `sums`, which are as many.
// Returns when the sums are known; unless `deliver`, at once: the sums come with the next ones of this executor.
void solve_lines(const Executor& executor, const Label& label, const LineSolve& lines, std::span<ExactSum> sums,
                 bool deliver);

// The same, but the sums go, rounded, to `sums` in memory of the executor, without a wait.
void solve_lines(const Executor& executor, const Label& label, const LineSolve& lines, double* sums);

}  // namespace halocline::collocation
