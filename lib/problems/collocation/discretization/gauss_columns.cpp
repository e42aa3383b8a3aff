#include "lib/problems/collocation/discretization/gauss_columns.hpp"

#include <algorithm>
#include <numeric>

namespace halocline::collocation {

namespace {

std::vector<double> rows_at(const Axis& axis, std::span<const Index> points) {
  std::vector<double> rows;
  rows.reserve(12 * points.size());
  for (const Index g : points)
    for (int order = 0; order < 3; ++order) {
      const auto row = axis.row(order, g);
      rows.insert(rows.end(), row.begin(), row.end());
    }
  return rows;
}

std::vector<double> places_of(const Axis& axis, std::span<const Index> points) {
  std::vector<double> places;
  for (const Index g : points) places.push_back(axis.gauss()[g]);
  return places;
}

}  // namespace

GaussColumns::GaussColumns(const ExecutorPtr& executor, const Formulation& problem, std::span<const Index> columns,
                           std::span<const Index> rows, Index step, FormulaPath path)
    : x_(make_array(executor, rows_at(problem.x, columns))), y_(make_array(executor, rows_at(problem.y, rows))) {
  view_.y = y_.view().data;
  view_.rows = static_cast<Index>(rows.size());
  if (problem.constants) {
    std::ranges::copy(*problem.constants, view_.constant);
    return;
  }
  coefficients_.emplace(executor, problem.coefficients, places_of(problem.x, columns), places_of(problem.y, rows), path,
                        GridProgram::Functions::exact);
  sampled_ = Array<double, 1>(executor, {6 * step * view_.rows});
  view_.sampled = sampled_.view().data;
}

const GaussOperator& GaussColumns::at(Index first, Index count) {
  view_.x = x_.view().data + 12 * first;
  if (coefficients_)
    coefficients_->evaluate<double>({first, count, 1, 0, view_.rows},
                                    {sampled_.view().data, 6 * view_.rows, view_.rows});
  return view_;
}

std::vector<Index> numbers(Index first, Index end) {
  std::vector<Index> list(static_cast<std::size_t>(end - first));
  std::iota(list.begin(), list.end(), first);
  return list;
}

}  // namespace halocline::collocation
