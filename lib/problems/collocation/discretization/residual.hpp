// Launches of the operator and the residual on lines of a part.
#pragma once

#include "lib/base/executor.hpp"
#include "lib/base/view.hpp"
#include "lib/problems/collocation/discretization/nodal_kernels.hpp"

namespace halocline::collocation {

// r = f - A u, or A u where f is null, at own lines begin .. end - 1. Lines begin - 1 and end are read.
template <class T>
void launch_residual(const Executor& executor, Range<1> lines, const ResidualBody<T>& body);

// The same at own lines begin, begin + 2, ... below end.
template <class T>
void launch_residual_of_alternate_lines(const Executor& executor, Range<1> lines, const ResidualBody<T>& body);

// From the unknowns that are left at the nodes of own lines to (v, w), as EquationView::expand does it.
void launch_expand(const Executor& executor, const EquationView<double>& equations, const double* from, double* to);

}  // namespace halocline::collocation
