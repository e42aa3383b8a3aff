// ColumnOperator: L u at a column of Gauss points, with coefficients and rows evaluated plainly; what tests compare
// with.
#pragma once

#include <array>
#include <vector>

#include "lib/problems/collocation/discretization/coefficients.hpp"

namespace halocline::collocation {

class ColumnOperator {
 public:
  explicit ColumnOperator(const Formulation& problem) : problem_(problem) {}

  // L u at all Gauss points of column g in x, for u given by four unknowns at every node of the lines e = g/2 and e +
  // 1: `line` and `next` hold 4 (ny + 1) numbers, (u, s_x u_x, s_y u_y, s_x s_y u_xy) per node.
  std::vector<double> operator()(Index g, const double* line, const double* next) const {
    CoefficientColumn coefficients;
    evaluate_coefficients(problem_, problem_.x.gauss()[g], problem_.y, coefficients);
    const double* const lines[2] = {line, next};
    std::vector<double> result;
    for (Index k = 0; k < problem_.y.unknowns(); ++k) {
      double sum = 0;
      for (int term = 0; term < coefficient_count; ++term) {
        const auto x = problem_.x.row(x_order[term], g), y = problem_.y.row(y_order[term], k);
        double value = 0;
        for (int m = 0; m < 4; ++m)
          for (int n = 0; n < 4; ++n) value += x[m] * y[n] * lines[m / 2][4 * (k / 2 + n / 2) + m % 2 + 2 * (n % 2)];
        sum += term_factor[term] * coefficients[term][k] * value;
      }
      result.push_back(sum);
    }
    return result;
  }

 private:
  const Formulation& problem_;
};

// What the sides give on line i, four numbers per node as above.
inline std::vector<double> side_line(const Formulation& problem, Index i) {
  std::vector<double> line;
  for (Index j = 0; j <= problem.y.elements(); ++j)
    for (int c = 0; c < 4; ++c) line.push_back(problem.boundary.value(i, c % 2, j, c / 2));
  return line;
}

// A program's results at the points (x, y[k]), plainly: [result][k].
inline std::vector<std::vector<double>> plain_values(const Program& program, double x, const std::vector<double>& y) {
  std::vector<std::vector<double>> values(static_cast<std::size_t>(program.result_count()),
                                          std::vector<double>(y.size()));
  const std::vector<std::span<double>> results(values.begin(), values.end());
  evaluate_along_y(program, x, y, results);
  return values;
}

}  // namespace halocline::collocation
