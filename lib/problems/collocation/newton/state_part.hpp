// StatePart: an equation that is not linear in u at the Gauss points of one part, where they lie.
#pragma once

#include <array>

#include "lib/fields/formula_grid.hpp"
#include "lib/fields/point_program.hpp"
#include "lib/fields/row_program.hpp"
#include "lib/problems/collocation/discretization/equations.hpp"

namespace halocline::collocation {

class StatePart {
 public:
  // For the lines of `equations`, whose coefficients it sets; both outlive it. `threads`: of an executor that is the
  // host.
  StatePart(const ExecutorPtr& executor, const Formulation& problem, Equations<double>& equations, int threads,
            FormulaPath path = FormulaPath::of_executor);

  // Of vectors of all unknowns that it holds, per line of a block.
  static int vectors(const Nonlinear& nonlinear);

  // Derivatives of u, given as whole unknowns of the own lines and the one before and behind. Asynchronous, as is all
  // that follows.
  void set_state(const NodalLines<double>& u);
  // The equation, or f + source, at the state; as a right-hand side in the layout of nodal_layout.hpp. Where no
  // equation is, nothing is written.
  void residual(double* to) { evaluate(residual_, {to, 1}); }
  void right_side(double* to) { evaluate(right_side_, {to, 1}); }
  // Coefficients of the linearized equation into the equations.
  void linearize() { evaluate(jacobian_, {equations_.samples(), coefficient_count}); }

 private:
  // A program for the points of each component, on a host device or a GPU.
  struct Evaluator {
    std::array<RowProgram, 4> rows;
    std::array<PointProgram, 4> points;
  };
  struct Target {
    double* data;
    Index results;  // per line
  };
  Evaluator evaluator(const Program& program) const;
  void evaluate(Evaluator& evaluator, const Target& to) const;

  ExecutorPtr executor_;
  Equations<double>& equations_;
  NodalBlock block_;
  bool by_points_;
  Array<double, 1> x_, y_;                       // Gauss points: [qx][own line], [qy][place along a component]
  std::array<Array<double, 1>, 6> derivatives_;  // those that are read
  Evaluator residual_, jacobian_, right_side_;
};

}  // namespace halocline::collocation
