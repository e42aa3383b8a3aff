// A probe of the sweeps: whether errors grow from step to step, found on random fields before the run.
#pragma once

#include "lib/problems/fractional/split/step_system.hpp"
#include "lib/problems/fractional/step/sweep_step.hpp"

namespace halocline::fractional {

/// What errors of sweeps do from step to step.
struct Growth {
  /// Of the norm a step, in the end; 1 at most where errors just grow like the number of steps, as those of stable
  /// sweeps may.
  double rate = 0;
  /// The largest norm at any step, over what it may be by growth like the number of steps. Matrices that do not commute
  /// let errors grow for some hundred steps, by a thousand and more, even where they fall in the end.
  double excess = 1;

  bool stable_in_the_end() const { return rate <= 1.006; }
  bool stable_between() const { return excess <= 4; }
  bool stable() const { return stable_in_the_end() && stable_between(); }
};

/// The largest growth of random fields, for the largest nu of the run, a tenth and a hundredth of it. Leaves `factors`,
/// those of `system`, as of another step, and `work` with anything. Collective.
template <class T>
Growth growth_of_sweeps(const Formulation& formulation, const Weights& weights, const StepSystem& system,
                        SweepStep<T>& sweeps, StepFactors& factors, SlabField<T>& work);

}  // namespace halocline::fractional
