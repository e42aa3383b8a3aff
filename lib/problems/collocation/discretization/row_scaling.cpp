#include "lib/problems/collocation/discretization/row_scaling.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gpu/launch.hpp"
#include "lib/problems/collocation/discretization/row_scaling_kernels.hpp"

namespace halocline::collocation {

namespace {

int largest_exponent(const Axis& axis, int order, Index g) {
  double largest = 0;
  for (const double value : axis.row(order, g)) largest = std::max(largest, std::abs(value));
  return exponent_of(largest);
}

// Of the rows of all nodes, as ScaleRows reads them.
std::vector<int> exponents_of(const Axis& axis) {
  std::vector<int> found;
  for (Index i = 0; i <= axis.elements(); ++i)
    for (Index q = 0; q < 2; ++q)
      for (int order = 0; order < 3; ++order) {
        const Index g = axis.gauss_of(i, q);
        found.push_back(g >= 0 ? largest_exponent(axis, order, g) : exponent_of_zero);
      }
  return found;
}

// Of the largest entry of equations that are all alike, but for rounding.
int common_exponent(const Formulation& problem) {
  int found = -most_exponent;
  for (int k = 0; k < 6; ++k)
    found = std::max(found, exponent_of((*problem.constants)[k]) + largest_exponent(problem.x, x_order[k], 1) +
                                largest_exponent(problem.y, y_order[k], 1));
  return std::min(found, most_exponent);
}

}  // namespace

RowScaling::RowScaling(const ExecutorPtr& executor, const NodalBlock& block, int exponent)
    : executor_(executor), block_(block), exponent_(exponent) {}

RowScaling::RowScaling(const ExecutorPtr& executor, const EquationView<double>& equations, const Axis& x, const Axis& y,
                       double* sampled)
    : executor_(executor), block_(equations.block), exponents_(executor, {block_.size()}) {
  const Array<int, 1> along_x = make_array(executor, exponents_of(x)), along_y = make_array(executor, exponents_of(y));
  const Range<2> numbers{{0, 0}, {block_.lines(), block_.stride()}};
  const double bytes = static_cast<double>(block_.size()) * (12 * sizeof(double) + sizeof(std::int16_t));
  launch(*executor, {"scale rows", bytes}, numbers,
         ScaleRows{equations, along_x.view().data, along_y.view().data, exponents_.view().data, sampled});
}

void RowScaling::apply(View<double, 1> b) const {
  require(b.size() <= block_.size(), "RowScaling: right-hand sides of the block's equations");
  const std::int16_t* exponents = exponents_.size() > 0 ? exponents_.view().data : nullptr;
  const double bytes = static_cast<double>(b.size()) * (2 * sizeof(double) + (exponents ? sizeof(std::int16_t) : 0));
  launch(*executor_, {"scale right-hand side", bytes}, Range<1>{{0}, {b.size()}},
         DivideByPowers{exponents, exponent_, b.data});
}

ScaledEquations scaled_equations(const Formulation& problem, const NodalBlock& block, const ExecutorPtr& executor,
                                 int threads) {
  const ExecutorPtr runner = with_threads(executor, threads);
  if (problem.constants && problem.x.uniform() && problem.y.uniform()) {
    const int exponent = common_exponent(problem);
    Formulation scaled = problem;
    for (double& value : *scaled.constants) value = std::ldexp(value, -exponent);
    return {Equations<double>(scaled, problem.x, problem.y, block, executor, threads),
            RowScaling(runner, block, exponent)};
  }
  const Equations<double> plain(problem, problem.x, problem.y, block, executor, threads);
  Array<double, 1> sampled(executor, {coefficient_count * block.size()});
  RowScaling scaling(runner, plain.view(), problem.x, problem.y, sampled.view().data);
  return {Equations<double>(problem, problem.x, problem.y, block, executor, std::move(sampled)), std::move(scaling)};
}

}  // namespace halocline::collocation
