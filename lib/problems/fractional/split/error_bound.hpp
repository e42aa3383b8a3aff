// What the solution of a step by sweeps lacks of that of the whole system, bounded from its residual.
#pragma once

#include "lib/problems/fractional/split/step_system.hpp"
#include "lib/problems/fractional/step/sweep_step.hpp"

namespace halocline::fractional {

/// A bound of the largest magnitude of e = (I - nu Lambda)^-1 r, r = right - (I - nu Lambda) w: the least of
///   max |r_i| / s_i, StepSystem::error_bound(): never below e, but far above it where nu Lambda is large;
///   max |e_a|, e_a = (I - nu Lambda_a)^-1 r, for each axis a. With weights w/nu, -Lambda_a is symmetric and positive
///     semidefinite where nothing moves, so that the step is no less than each factor, its inverse no more than theirs:
///     (r, e) <= (r, e_a). In largest values e_a may be below e, by a factor of 3 at worst, whatever r, on 14^3
///     nodes with constant D.
/// The product of all three inverses, which sweeps take, is below the step's inverse instead, without limit. The bounds
/// are taken in the order of their costs, until one is at most `enough`. `work`, T double or float, gets anything; w
/// has room for ghosts. Collective.
template <class T>
double bound_of_error(const StepSystem& system, SweepStep<T>& sweeps, const PartValues& right, const PartValues& w,
                      const PartValuesOf<T>& work, double enough);

}  // namespace halocline::fractional
