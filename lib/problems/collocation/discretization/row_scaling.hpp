// RowScaling: equations divided, one by one, by a power of two near their largest entry, so that norms of residuals
// mean the same whatever the size of the coefficients and elements. No digit changes.
#pragma once

#include <cstdint>
#include <vector>

#include "lib/problems/collocation/discretization/equations.hpp"

namespace halocline::collocation {

class RowScaling {
 public:
  RowScaling() = default;
  // Of equations in memory of the host: samples scaled coefficients, in the layout of EquationView::sampled, into
  // block.size() * 6 numbers.
  RowScaling(const EquationView<double>& equations, int threads, std::vector<double>& sampled);
  // The same power of two for all equations of a block.
  RowScaling(const NodalBlock& block, int exponent);
  // Divides right-hand sides in the layout of nodal_layout.hpp.
  void apply(std::vector<double>& b) const;

 private:
  std::vector<std::int16_t> exponents_;
};

struct ScaledEquations {
  Equations<double> equations;
  RowScaling scaling;
};

// The problem's equations for the lines of a block, divided like that. Where all are alike (constant coefficients and a
// uniform mesh) they stay so; elsewhere coefficients are sampled even if they are constant. `threads`: of the host.
ScaledEquations scaled_equations(const Formulation& problem, const NodalBlock& block, const ExecutorPtr& executor,
                                 int threads);

}  // namespace halocline::collocation
