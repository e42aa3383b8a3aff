// Unsplit: solves (I - nu Lambda) W = R + data of a step as a whole, by conjugate gradients, or by BiCGSTAB where
// something moves.
#pragma once

#include <memory>

#include "lib/krylov/krylov.hpp"
#include "lib/problems/fractional/space/side_values.hpp"
#include "lib/problems/fractional/split/step_system.hpp"
#include "lib/problems/fractional/step/level_numbers.hpp"

namespace halocline::fractional {

class Unsplit {
 public:
  /// All outlive this. Allocates two vectors; those of the method with the first solve.
  Unsplit(const Formulation& formulation, const StepSystem& system, const SideValues& sides);

  /// Remembers R, with what natural sides give to W. The sides are prepared for the step. T: double or float, here and
  /// below.
  template <class T>
  void take_right(SlabField<T>& right);
  /// Of the last take_right().
  PartValues right() { return values_of(b_); }
  /// Gives Dirichlet nodes of `w`, which is from sweeps, what their sides gain: where two sides give an edge different
  /// values, sweeps leave something else. Keeps all of it, here, up to the next call; room for ghosts is around it.
  template <class T>
  PartValues keep(SlabField<T>& w);
  /// The solution begins from the unknowns that are kept; or, without a call since take_right(), from 0.
  void begin_from_kept();
  /// W to `w`, on Dirichlet sides what they gain; returns the iterations. Throws NumericalError, with the node of the
  /// largest residual, where it does not converge. Collective.
  template <class T>
  Index solve(const LevelNumbers& n, SlabField<T>& w);

 private:
  Index iterate(const LevelNumbers& n);
  [[noreturn]] void refuse(const LevelNumbers& n, Index iterations, double tolerance);

  const Formulation* formulation_;
  const StepSystem* system_;
  const SideValues* sides_;
  std::unique_ptr<Operator<double>> matrix_, diagonal_;
  std::unique_ptr<KrylovSolver<double>> solver_;
  Vector<double> b_, x_;
  bool begun_ = false;  // x_ is where the solution begins
};

}  // namespace halocline::fractional
