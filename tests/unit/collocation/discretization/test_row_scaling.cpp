// Scaled equations: every one divided by a power of two that brings its largest entry near 1, right-hand sides alike.
#include "lib/problems/collocation/discretization/row_scaling.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/collocation/multigrid/mesh_cases.hpp"
#include "tests/unit/executors.hpp"

namespace halocline::collocation {
namespace {

using RowScalingTest = OnEveryExecutor;
INSTANTIATE_TEST_SUITE_P(Executors, RowScalingTest, every_executor(), executor_name);

double largest_of(const std::array<double, 4>& row) {
  double largest = 0;
  for (const double value : row) largest = std::max(largest, std::abs(value));
  return largest;
}

TEST_P(RowScalingTest, LargestEntriesAreNearOneAndNoDigitChanges) {
  const Axis x(random_nodes(9, 5, 1), robin_low, dirichlet), y(random_nodes(6, 3, 2));
  const std::array<std::string, 6> varying{"1e30*exp(40*x)", "0", "1e-30*exp(-20*y)", "5*x", "-1e25", "-1"};
  const std::array<std::string, 6> constant{"1e-20", "0", "3e-22", "0", "1e-25", "0"};
  for (const auto& coefficients : {varying, constant}) {
    const Formulation problem = make_formulation(x, y, coefficients);
    const NodalBlock block{2, 10, 9, 6};
    const ScaledEquations scaled = scaled_equations(problem, block, executor(), 2);
    std::vector<double> sampled(static_cast<std::size_t>(6 * block.size()));
    executor()->copy_out(sampled.data(), scaled.equations.view().sampled, sampled.size() * sizeof(double));
    Array<double, 1> ones = make_array(executor(), std::vector<double>(static_cast<std::size_t>(block.size()), 1.0));
    scaled.scaling.apply(ones.view());
    const std::vector<double> factors = ones.to_host();
    for_each_equation(9, 6, [&](const EquationPlace& at) {
      if (at.i < block.first_line || at.i >= block.end_line) return;
      CoefficientColumn column;
      evaluate_coefficients(problem, x.gauss()[at.gx], y, column);
      const Index line = at.i - block.first_line, place = block.place(at.component, at.j);
      const double factor = factors[line * block.line_size() + place];
      EXPECT_EQ(std::exp2(std::ilogb(factor)), factor);
      double entry = 0;
      for (int k = 0; k < 6; ++k) {
        const double found = sampled[(6 * line + k) * block.line_size() + place];
        EXPECT_NEAR(found, factor * column[k][at.gy], 1e-13 * std::abs(found));
        entry = std::max(entry,
                         std::abs(found) * largest_of(x.row(x_order[k], at.gx)) * largest_of(y.row(y_order[k], at.gy)));
      }
      EXPECT_GE(entry, 1);
      EXPECT_LT(entry, 8);
    });
  }
}

// They stay alike.
TEST_P(RowScalingTest, EquationsThatAreAllAlikeHaveOnePower) {
  const Axis axis(uniform_nodes(0, 1, 8));
  const Formulation problem = make_formulation(axis, axis, {"1", "0", "1", "0", "0", "-1"});
  const NodalBlock block{0, 9, 8, 8};
  const ScaledEquations scaled = scaled_equations(problem, block, executor(), 1);
  EXPECT_EQ(scaled.equations.view().sampled, nullptr);
  Array<double, 1> ones = make_array(executor(), std::vector<double>(static_cast<std::size_t>(block.size()), 1.0));
  scaled.scaling.apply(ones.view());
  for (const double factor : ones.to_host()) ASSERT_EQ(factor, scaled.equations.view().constant[0]);
}

}  // namespace
}  // namespace halocline::collocation
