// A probe of the sweeps: whether errors grow from step to step, found on random fields before the run.
#pragma once

#include "lib/problems/fractional/split/step_system.hpp"
#include "lib/problems/fractional/step/sweep_step.hpp"

namespace halocline::fractional {

/// Growth a step up to which sweeps are taken as stable.
constexpr double stable_rate = 1.006;

/// The largest growth a step of random fields, for the largest nu of the run, a tenth and a hundredth of it; 1 where it
/// is no more than that of errors that grow like the number of steps, as those of stable sweeps may. Leaves
/// `factors`, those of `system`, as of another step, and `work` with anything. Collective.
template <class T>
double growth_of_sweeps(const Formulation& formulation, const Weights& weights, const StepSystem& system,
                        SweepStep<T>& sweeps, StepFactors& factors, SlabField<T>& work);

}  // namespace halocline::fractional
