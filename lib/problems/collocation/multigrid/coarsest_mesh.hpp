// The equations of the coarsest mesh, for a direct solver.
#pragma once

#include <memory>

#include "lib/multigrid/coarsest.hpp"
#include "lib/problems/collocation/multigrid/smoother.hpp"

namespace halocline::collocation {

// Unknowns of the largest mesh whose inverse is formed; beyond that the host solves with factors of the banded matrix.
constexpr Index largest_inverse = 1024;

// `mesh` is replicated; `problem`: whose equations to solve on it; outlives the solver. `sampled`: its coefficients, as
// EquationView::sampled has them without `split`, where they are not those of the problem's formulas. NumericalError,
// on all ranks, when they are singular. Collective.
template <class T>
std::unique_ptr<multigrid::CoarsestSolver<T>> make_coarsest_solver(const Formulation& problem, const LevelMesh<T>& mesh,
                                                                   const std::vector<double>& sampled = {});

}  // namespace halocline::collocation
