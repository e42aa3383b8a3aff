// NodalProblem, what kernels of nodal_kernels.hpp read of the equations, from the equations and their axes.
#pragma once

#include "lib/problems/collocation/axes/axis.hpp"
#include "lib/problems/collocation/discretization/nodal_kernels.hpp"

namespace halocline::collocation {

// Rows of all nodes of a uniform axis, as NodalProblem holds them.
template <class T>
void uniform_rows(const Axis& axis, T (&rows)[2][3][4]) {
  for (int q = 0; q < 2; ++q)
    for (int p = 0; p < 3; ++p) {
      const auto row = hermite_at_gauss(p, 1 - q);  // q = 0: the upper Gauss point of the element below
      double scale = 1;
      for (int order = 0; order < p; ++order) scale /= axis.mean_length();
      for (int m = 0; m < 4; ++m) rows[q][p][m] = static_cast<T>(row[m] * scale);
    }
}

template <class T>
NodalProblem<T> nodal_problem(const EquationView<T>& view, const Axis& x, const Axis& y) {
  NodalProblem<T> problem{view, x.uniform(), y.uniform(), {}, {}};
  uniform_rows(x, problem.x_rows);
  uniform_rows(y, problem.y_rows);
  return problem;
}

}  // namespace halocline::collocation
