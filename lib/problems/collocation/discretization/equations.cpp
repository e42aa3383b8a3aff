#include "lib/problems/collocation/discretization/equations.hpp"

#include <type_traits>

#include "lib/problems/collocation/discretization/gauss_samples.hpp"

namespace halocline::collocation {

namespace {

constexpr Index margin = NodalBlock::margin;

Index table_stride(const Axis& axis) { return (margin + axis.elements() + 2 + 15) / 16 * 16; }

// Coefficients in memory of the executor; nothing where they are constant.
template <class T>
Array<T, 1> sample_on(const ExecutorPtr& executor, const Formulation& problem, const Axis& x, const Axis& y,
                      const NodalBlock& block, int threads, FormulaPath path) {
  if (problem.constants) return {};
  Array<T, 1> sampled(executor, {block.size() * coefficient_count});
  sample_at_equations(with_threads(executor, threads), problem.coefficients, x, y, block, sampled.view().data, path);
  return sampled;
}

}  // namespace

template <class T>
std::vector<T> axis_rows(const Axis& axis) {
  const Index n = axis.elements(), stride = table_stride(axis);
  std::vector<T> rows(static_cast<std::size_t>(24 * stride), T{0});
  for (Index i = 0; i <= n; ++i)
    for (int q = 0; q < 2; ++q) {
      const Index g = axis.gauss_of(i, q);
      if (g < 0) continue;
      for (int p = 0; p < 3; ++p) {
        const auto row = axis.row(p, g);
        for (int m = 0; m < 4; ++m) rows[((q * 3 + p) * 4 + m) * stride + margin + i] = static_cast<T>(row[m]);
      }
    }
  return rows;
}

template <class T>
Equations<T>::Equations(const Formulation& problem, const Axis& x, const Axis& y, const NodalBlock& block,
                        const ExecutorPtr& executor, int threads, FormulaPath path)
    : Equations(problem, x, y, block, executor, sample_on<T>(executor, problem, x, y, block, threads, path)) {}

template <class T>
Equations<T>::Equations(const Formulation& problem, const Axis& x, const Axis& y, const NodalBlock& block,
                        const ExecutorPtr& executor, Array<T, 1> sampled, Index split)
    : x_rows_(make_array(executor, axis_rows<T>(x))),
      y_rows_(make_array(executor, axis_rows<T>(y))),
      sampled_(std::move(sampled)) {
  view_.block = block;
  view_.x = {x_rows_.view().data, table_stride(x)};
  view_.y = {y_rows_.view().data, table_stride(y)};
  view_.sampled = sampled_.size() > 0 ? sampled_.view().data : nullptr;
  view_.split = split;
  for (int k = 0; k < coefficient_count; ++k)
    view_.constant[k] = problem.constants ? static_cast<T>((*problem.constants)[k]) : T{0};
  for (const End end : {End::low, End::high})
    for (int k = 0; k < 2; ++k) {
      const int which = end == End::low ? 0 : 1;
      view_.tangent_x[which][k] = static_cast<T>(x.tangent(end)[k]);
      view_.tangent_y[which][k] = static_cast<T>(y.tangent(end)[k]);
    }
  if (const SideConditions* conditions = problem.boundary.conditions()) {
    const std::vector<double> tangents = collocation::side_tangents(*conditions, x, y);
    side_tangents_ = make_array(executor, std::vector<T>(tangents.begin(), tangents.end()));
    view_.side_tangents = side_tangents_.view().data;
  }
}

template <class T>
Equations<T>::Equations(const Formulation& problem, const Axis& x, const Axis& y, const NodalBlock& block,
                        const ExecutorPtr& executor, HalfGroups halves, Index split)
    : Equations(problem, x, y, block, executor, Array<T, 1>(), split) {
  halves_ = std::move(halves);
  view_.halves = halves_.values.view().data;
  if constexpr (std::is_same_v<T, float>) view_.half_scales = halves_.scales.view().data;
}

template std::vector<double> axis_rows<double>(const Axis&);
template std::vector<float> axis_rows<float>(const Axis&);
template class Equations<double>;
template class Equations<float>;

}  // namespace halocline::collocation
