// SolutionPart: the four Hermite unknowns at the nodes of one part's lines, and what is measured on them, where they
// lie.
#pragma once

#include <array>
#include <vector>

#include "lib/base/array.hpp"
#include "lib/base/exact_sum.hpp"
#include "lib/fields/formula_grid.hpp"
#include "lib/problems/collocation/discretization/nodal_layout.hpp"
#include "lib/problems/collocation/formulation.hpp"

namespace halocline::collocation {

// Of u, u_x, u_y, u_xy at nodes.
struct ErrorShares {
  std::array<double, 4> max{};
  std::array<ExactSum, 4> squares;
};

// Of the equations at Gauss points: max |L u - f|, max |f|, and squares of L u - f, those of inner lines twice.
struct ResidualShares {
  std::array<double, 2> largest{};
  std::array<ExactSum, 1> squares;
};

class SolutionPart {
 public:
  // For the lines of a block of the problem's mesh; values are left to the caller. `problem` outlives it. `threads`: of
  // an executor that is the host.
  SolutionPart(const ExecutorPtr& executor, const Formulation& problem, const NodalBlock& block, int threads,
               FormulaPath path);

  // Memory for so many lines, besides some columns of values at a time.
  static std::size_t bytes(const Formulation& problem, Index lines);

  const NodalBlock& block() const { return block_; }
  // The own lines and the one behind them, in the layout of nodal_layout.hpp, in memory of the executor.
  View<double, 1> values() { return u_.view(); }
  // Where axes are periodic, the block is that of all nodes, those at the high ends included, which are the first ones
  // once more: after the first `lines` own lines, or all of all lines, are there.
  void close_lines(Index lines);
  void close_columns();
  // One of them on the host, counted from the first.
  std::vector<double> line(Index i) const;
  // Physical values of field 0 .. 3 (u, u_x, u_y, u_xy) on the own lines, [line][j], in memory of the executor.
  Array<double, 1> field(int which) const;
  void add_errors(ErrorShares& shares) const;
  void add_residual(ResidualShares& shares) const;  // reads the line behind

 private:
  ExecutorPtr executor_;
  const Formulation& problem_;
  NodalBlock block_;
  FormulaPath path_;
  Array<double, 1> u_, scale_x_, scale_y_;  // scales of the nodes of the mesh
};

}  // namespace halocline::collocation
