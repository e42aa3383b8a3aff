// Unsplit: solves (I - nu Lambda) W = R + data of a step as a whole, by conjugate gradients, or by BiCGSTAB where
// something moves; preconditioned by the diagonal, or by multigrid where that would take many iterations.
#pragma once

#include <memory>
#include <optional>

#include "lib/base/log.hpp"
#include "lib/krylov/krylov.hpp"
#include "lib/problems/fractional/multigrid/multigrid.hpp"
#include "lib/problems/fractional/space/side_values.hpp"
#include "lib/problems/fractional/split/step_system.hpp"
#include "lib/problems/fractional/step/level_numbers.hpp"

namespace halocline::fractional {

class Unsplit {
 public:
  /// All outlive this. Allocates two vectors; those of the method, and multigrid, with the first solve that takes them.
  Unsplit(const Formulation& formulation, const StepSystem& system, const SideValues& sides, Log& log);

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

  void archive(StateArchive& archive);
  Traffic traffic() const { return multigrid_ ? multigrid_->traffic() : Traffic{}; }

 private:
  // Whether this step takes multigrid, which is then ready.
  bool choose_multigrid();
  void give_up_multigrid(const LevelNumbers& n, Index iterations);
  Index iterate(const LevelNumbers& n);
  [[noreturn]] void refuse(const LevelNumbers& n, Index iterations, double tolerance);

  const Formulation* formulation_;
  const StepSystem* system_;
  const SideValues* sides_;
  Log* log_;
  std::unique_ptr<Operator<double>> matrix_, diagonal_;
  std::unique_ptr<KrylovSolver<double>> solver_;
  std::optional<Multigrid> multigrid_;
  bool never_multigrid_ = false;  // it did not do
  Vector<double> b_, x_;
  bool begun_ = false;  // x_ is where the solution begins
};

}  // namespace halocline::fractional
