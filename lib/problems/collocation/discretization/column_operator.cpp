#include "lib/problems/collocation/discretization/column_operator.hpp"

#include <algorithm>

namespace halocline::collocation {

ColumnOperator::ColumnOperator(const Formulation& problem) : problem_(problem) {
  const Index points = problem.y.unknowns();
  for (Index k = 0; k < points; ++k) {
    auto& row = rows_.emplace_back();
    for (int order = 0; order < 3; ++order) std::ranges::copy(problem.y.row(order, k), row.begin() + 4 * order);
  }
  for (auto& values : derivatives_) values.resize(static_cast<std::size_t>(points + 2));
  for (int k = 0; k < coefficient_count; ++k) {
    const double value = problem.constants ? (*problem.constants)[k] : 0;
    coefficients_[k].assign(static_cast<std::size_t>(points), value);
  }
}

void ColumnOperator::evaluate(Index g, Index first, Index end) {
  if (problem_.constants) return;
  std::array<std::span<double>, coefficient_count> results;
  for (int k = 0; k < coefficient_count; ++k) results[k] = std::span(coefficients_[k]).subspan(first, end - first);
  evaluate_along_y(problem_.coefficients, problem_.x.gauss()[g],
                   std::span(problem_.y.gauss()).subspan(first, end - first), results);
}

void ColumnOperator::apply(Index g, const double* line, const double* next, Index first, Index end, double* result) {
  evaluate(g, first, end);
  const auto x0 = problem_.x.row(0, g), x1 = problem_.x.row(1, g), x2 = problem_.x.row(2, g);
  // Unknowns of node j: [y_slope][x_slope].
  for (Index m = first; m < end + 2; ++m) {
    const double a = line[2 * m], b = line[2 * m + 1], c = next[2 * m], d = next[2 * m + 1];
    derivatives_[0][m] = x0[0] * a + x0[1] * b + x0[2] * c + x0[3] * d;
    derivatives_[1][m] = x1[0] * a + x1[1] * b + x1[2] * c + x1[3] * d;
    derivatives_[2][m] = x2[0] * a + x2[1] * b + x2[2] * c + x2[3] * d;
  }
  for (Index k = first; k < end; ++k) {
    const double* row = rows_[k].data();
    const auto along_y = [&](int order_x, int order_y) {
      const double* u = derivatives_[order_x].data() + k / 2 * 2;
      const double* y = row + 4 * order_y;
      return y[0] * u[0] + y[1] * u[1] + y[2] * u[2] + y[3] * u[3];
    };
    double sum = 0;
    for (int term = 0; term < coefficient_count; ++term)
      sum += term_factor[term] * coefficients_[term][k] * along_y(x_order[term], y_order[term]);
    result[k] = sum;
  }
}

}  // namespace halocline::collocation
