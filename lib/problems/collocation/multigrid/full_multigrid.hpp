// Full multigrid: a start of an iteration to about the discretization error of u in double precision (in float to 1e-6
// or so), by solving coarser problems first, each from the interpolated coarser solution with two cycles.
#pragma once

#include <vector>

#include "lib/multigrid/hierarchy.hpp"
#include "lib/problems/collocation/multigrid/multigrid_level.hpp"
#include "lib/problems/collocation/multigrid/multigrid_plan.hpp"

namespace halocline::collocation {

// x for A x = b on the meshes of a hierarchy of at least two levels. `levels`: those of the hierarchy. `scale`: of the
// numbers on all levels, b / scale is about 1. `threads`: of the host, for right-hand sides of coarser problems.
template <class T>
void full_multigrid(multigrid::Hierarchy<T>& hierarchy, const std::vector<MultigridLevel<T>*>& levels,
                    const Formulation& problem, const MultigridPlan& plan, int threads, double scale,
                    const Vector<double>& b, Vector<double>& x);

}  // namespace halocline::collocation
