// Rounding on sides: takes unknowns there to the nearest multiple of the tangent of the side's end condition. Rounded
// to single precision they would leave the space in which the condition holds, and nothing brings them back.
#pragma once

#include "lib/problems/collocation/axes/axis.hpp"
#include "lib/problems/collocation/discretization/equations.hpp"

namespace halocline::collocation {

// Whether the tangent at some end has two components that are not zero: an end of kind robin.
bool has_tangents_to_round(const Axis& axis);

// `view`: of the lines of `u`, a part's own ones. Asynchronous.
void round_ends(const Executor& executor, const EquationView<double>& view, double* u);

}  // namespace halocline::collocation
