// Rounding on sides: takes unknowns there to the nearest ones for which the condition with value 0 holds, multiples of
// the tangent of the side's end condition. Rounded to single precision they would leave this space, and nothing brings
// them back; so would what is interpolated where conditions vary along sides.
#pragma once

#include "lib/problems/collocation/axes/axis.hpp"
#include "lib/problems/collocation/discretization/equations.hpp"

namespace halocline::collocation {

// Whether the tangent at some end has two components that are not zero: an end of kind robin.
bool has_tangents_to_round(const Axis& axis);

// `view`: of the lines of `u`, a part's own ones; `lines`: counted from the first of these, with the nearest ones of
// other parts or without. T is double or float. Asynchronous.
template <class T>
void round_ends(const Executor& executor, const EquationView<T>& view, Range<1> lines, T* u);

}  // namespace halocline::collocation
