// RowScaling: equations divided, one by one, by a power of two near their largest entry, so that norms of residuals
// mean the same whatever the size of the coefficients and elements. No digit changes.
#pragma once

#include <cstdint>

#include "lib/problems/collocation/discretization/equations.hpp"

namespace halocline::collocation {

class RowScaling {
 public:
  RowScaling() = default;
  // Of equations in memory of the executor: writes scaled coefficients, in the layout of EquationView::sampled, to
  // block.size() * 6 numbers.
  RowScaling(const ExecutorPtr& executor, const EquationView<double>& equations, const Axis& x, const Axis& y,
             double* sampled);
  // The same power of two for all equations of a block.
  RowScaling(const ExecutorPtr& executor, const NodalBlock& block, int exponent);
  // Divides right-hand sides in the layout of nodal_layout.hpp, of all lines or the first ones, in memory of the
  // executor.
  void apply(View<double, 1> b) const;

 private:
  ExecutorPtr executor_;
  NodalBlock block_;
  int exponent_ = 0;                  // of all
  Array<std::int16_t, 1> exponents_;  // of each, where they differ
};

struct ScaledEquations {
  Equations<double> equations;
  RowScaling scaling;
};

// The problem's equations for the lines of a block, divided like that. Where all are alike (constant coefficients and a
// uniform mesh) they stay so; elsewhere coefficients are sampled even if they are constant. `threads`: of an executor
// that is the host.
ScaledEquations scaled_equations(const Formulation& problem, const NodalBlock& block, const ExecutorPtr& executor,
                                 int threads);

}  // namespace halocline::collocation
