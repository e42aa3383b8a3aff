// Equations: the collocation equations of one part on one mesh, in memory of an executor; kernels see their
// EquationView.
#pragma once

#include <utility>

#include "lib/base/array.hpp"
#include "lib/fields/formula_grid.hpp"
#include "lib/problems/collocation/discretization/coefficients.hpp"
#include "lib/problems/collocation/discretization/equation_kernels.hpp"

namespace halocline::collocation {

// Numbers in 16 bits: groups of them, each with a power of two that they are multiples of.
struct HalfGroups {
  Array<FourHalves, 1> values;
  Array<float, 1> scales;
};

template <class T>
class Equations {
 public:
  // The problem's equations on the mesh x, y (its own axes or coarser ones) for the lines of `block`; coefficients are
  // sampled on the executor, with `threads` threads if that is the host.
  Equations(const Formulation& problem, const Axis& x, const Axis& y, const NodalBlock& block,
            const ExecutorPtr& executor, int threads, FormulaPath path = FormulaPath::of_executor);
  // The same with coefficients sampled before, as EquationView::sampled and EquationView::split describe them; none:
  // the problem's constants.
  Equations(const Formulation& problem, const Axis& x, const Axis& y, const NodalBlock& block,
            const ExecutorPtr& executor, Array<T, 1> sampled, Index split = 0);
  // In 16 bits: EquationView::halves. For T = float.
  Equations(const Formulation& problem, const Axis& x, const Axis& y, const NodalBlock& block,
            const ExecutorPtr& executor, HalfGroups halves, Index split);
  const NodalBlock& block() const { return view_.block; }
  const EquationView<T>& view() const { return view_; }
  // The sampled coefficients, to be given new values; null where they are constant.
  T* samples() { return sampled_.size() > 0 ? sampled_.view().data : nullptr; }
  // Gives away what EquationView::side_tangents points to, for views that outlive these equations.
  Array<T, 1> take_side_tangents() { return std::move(side_tangents_); }

 private:
  Array<T, 1> x_rows_, y_rows_, sampled_, side_tangents_;
  HalfGroups halves_;
  EquationView<T> view_;
};

// Coefficients of an axis's rows as AxisRows describes them.
template <class T>
std::vector<T> axis_rows(const Axis& axis);

}  // namespace halocline::collocation
