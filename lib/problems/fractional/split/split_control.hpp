// SplitControl: whether a step is solved by sweeps or as a whole. Sweeps that are not stable are found by a probe
// before the run, sweeps that are not accurate by a bound of their error at chosen steps.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "lib/base/log.hpp"
#include "lib/problems/fractional/split/looks.hpp"
#include "lib/problems/fractional/split/split_figures.hpp"
#include "lib/problems/fractional/split/step_system.hpp"
#include "lib/problems/fractional/split/unsplit.hpp"
#include "lib/problems/fractional/step/past.hpp"
#include "lib/problems/fractional/step/sweep_step.hpp"

namespace halocline::fractional {

/// Numbers: a precision of precision_layout.hpp.
template <class Numbers>
class SplitControl {
 public:
  using T = typename Numbers::Line;

  /// All outlive this. Collective.
  SplitControl(const Formulation& formulation, const std::shared_ptr<Slabs<double>>& slabs,
               const Coefficients& coefficients, SideValues& sides, StepFactors& factors, const Weights& weights,
               Log& log);

  /// Before the first step of a run from level 0, with its initial state: whether sweeps are stable. `work` gets
  /// anything. Throws NumericalError where they are not and the deck asks for them. Collective.
  void choose(SlabField<T>& work);
  /// From R in the slot of the step that `past` has opened: the increment in the slot, and c of the next level, both
  /// but for Dirichlet nodes. Collective.
  void solve(const LevelNumbers& n, SlabField<typename Numbers::Field>& c, Past<Numbers>& past);

  void archive(StateArchive& archive);
  const SplitFigures& figures() const { return figures_; }
  Sweeps<T>& sweeps() { return sweeps_.sweeps(); }
  Traffic traffic() const;

 private:
  Demand demand(const LevelNumbers& n, SlabField<typename Numbers::Field>& c, SlabField<T>& slot);
  bool sweeps_do(const LevelNumbers& n, const Demand& demand, SlabField<T>& slot);

  const Formulation* formulation_;
  Log* log_;
  StepFactors* factors_;
  const Weights* weights_;
  StepSystem system_;
  SweepStep<T> sweeps_;
  std::optional<Unsplit> unsplit_;
  std::vector<UpdateOf<Numbers>> updates_;
  SplitFigures figures_;
  bool never_sweeps_;  // every step is solved as a whole
  Looks looks_;
};

}  // namespace halocline::fractional
