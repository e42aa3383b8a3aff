// A probe of the sweeps: whether errors grow from step to step, found on random fields before the run.
#pragma once

#include "lib/problems/fractional/split/step_system.hpp"
#include "lib/problems/fractional/step/sweep_step.hpp"

namespace halocline::fractional {

/// Growth a step up to which sweeps are taken as stable. Of 84 cases (7 geometries, ratios of D from 3 to 1e4) all 23
/// that blew up had at least 1.043, all others at most 1.016.
constexpr double stable_rate = 1.03;

/// The largest growth a step of random fields, for the largest nu of the run, a tenth and a hundredth of it. Leaves
/// `factors`, those of `system`, as of another step, and `work` with anything. Collective.
template <class T>
double growth_of_sweeps(const Formulation& formulation, const Weights& weights, const StepSystem& system,
                        SweepStep<T>& sweeps, StepFactors& factors, SlabField<T>& work);

}  // namespace halocline::fractional
