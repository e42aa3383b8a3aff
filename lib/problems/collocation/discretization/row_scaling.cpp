#include "lib/problems/collocation/discretization/row_scaling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace halocline::collocation {

namespace {

constexpr int most = 1000;      // of an exponent
constexpr int none = -1000000;  // of zero

int exponent(double value) { return value != 0 && std::isfinite(value) ? std::ilogb(value) : none; }

// Exponents of the largest entries of the rows of node i: [q][order].
std::array<std::array<int, 3>, 2> exponents_at(const AxisRows<double>& rows, Index i) {
  std::array<std::array<int, 3>, 2> found;
  for (int q = 0; q < 2; ++q)
    for (int p = 0; p < 3; ++p) {
      double largest = 0;
      for (int m = 0; m < 4; ++m) largest = std::max(largest, std::abs(rows(q, p, m, i)));
      found[q][p] = exponent(largest);
    }
  return found;
}

// Of the largest entry of equations that are all alike, but for rounding.
int common_exponent(const Formulation& problem) {
  const auto largest = [](const Axis& axis, int order) {
    double entry = 0;
    for (const double value : axis.row(order, 1)) entry = std::max(entry, std::abs(value));
    return exponent(entry);
  };
  int found = -most;
  for (int k = 0; k < 6; ++k)
    found = std::max(
        found, exponent((*problem.constants)[k]) + largest(problem.x, x_order[k]) + largest(problem.y, y_order[k]));
  return std::min(found, most);
}

}  // namespace

RowScaling::RowScaling(const NodalBlock& block, int exponent)
    : exponents_(static_cast<std::size_t>(block.size()), static_cast<std::int16_t>(exponent)) {}

RowScaling::RowScaling(const EquationView<double>& equations, int threads, std::vector<double>& sampled)
    : exponents_(static_cast<std::size_t>(equations.block.size())) {
  const NodalBlock& block = equations.block;
  const Index size = block.line_size();
  sampled.assign(static_cast<std::size_t>(6 * block.size()), 0.0);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (Index i = 0; i < block.lines(); ++i) {
    const auto x = exponents_at(equations.x, block.first_line + i);
    for (Index j = 0; j <= block.ny; ++j) {
      const auto y = exponents_at(equations.y, j);
      for (int c = 0; c < 4; ++c) {
        if (!equations.exists(block.first_line + i, j, c)) continue;
        int largest = none;
        for (int k = 0; k < 6; ++k)
          largest = std::max(largest,
                             exponent(equations.coefficient(k, i, c, j)) + x[c % 2][x_order[k]] + y[c / 2][y_order[k]]);
        largest = largest < none / 2 ? 0 : std::clamp(largest, -most, most);
        const Index at = block.place(c, j);
        exponents_[i * size + at] = static_cast<std::int16_t>(largest);
        for (int k = 0; k < 6; ++k)
          sampled[(6 * i + k) * size + at] = std::ldexp(equations.coefficient(k, i, c, j), -largest);
      }
    }
  }
}

void RowScaling::apply(std::vector<double>& b) const {
  for (std::size_t n = 0; n < b.size(); ++n) b[n] = std::ldexp(b[n], -exponents_[n]);
}

ScaledEquations scaled_equations(const Formulation& problem, const NodalBlock& block, const ExecutorPtr& executor,
                                 int threads) {
  if (problem.constants && problem.x.uniform() && problem.y.uniform()) {
    const int exponent = common_exponent(problem);
    Formulation scaled = problem;
    for (double& value : *scaled.constants) value = std::ldexp(value, -exponent);
    return {Equations<double>(scaled, problem.x, problem.y, block, executor, threads), RowScaling(block, exponent)};
  }
  std::vector<double> sampled;
  RowScaling scaling(
      Equations<double>(problem, problem.x, problem.y, block, make_omp_executor(threads), threads).view(), threads,
      sampled);
  return {Equations<double>(problem, problem.x, problem.y, block, executor, make_array(executor, sampled)),
          std::move(scaling)};
}

}  // namespace halocline::collocation
