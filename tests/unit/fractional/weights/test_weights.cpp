// Weights of all schemes against a table made with 40 digits, and against what they must give for s and s^2.
#include "lib/problems/fractional/weights/weights.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "lib/problems/fractional/weights/alikhanov_weights.hpp"
#include "lib/problems/fractional/weights/l1_weights.hpp"
#include "lib/problems/fractional/weights/t_weights.hpp"
#include "tests/unit/fractional/reference_table.hpp"

namespace halocline::fractional {
namespace {

std::vector<double> mesh_of(const ReferenceLine& line, std::ptrdiff_t skipped) {
  return {line.arguments.begin() + skipped, line.arguments.end()};
}

void expect_relative(const std::vector<double>& values, const std::vector<double>& expected, double tolerance,
                     const std::string& what) {
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(values[i] / expected[i], 1, tolerance) << what << ", weight " << i + 1;
}

TEST(Weights, L1AgreesWithTable) {
  for (const ReferenceLine& line : reference_lines("fractional_weights.txt", "l1")) {
    const auto levels = levels_at(mesh_of(line, 1));
    std::vector<double> weights(line.values.size());
    l1_weights(*levels, line.arguments[0], levels->steps(), 1, weights);
    expect_relative(weights, line.values, 2e-14, "order " + std::to_string(line.arguments[0]));
  }
}

TEST(Weights, AlikhanovAgreesWithTable) {
  for (const ReferenceLine& line : reference_lines("fractional_weights.txt", "alikhanov")) {
    const auto levels = levels_at(mesh_of(line, 2));
    std::vector<double> weights(line.values.size());
    alikhanov_weights(*levels, line.arguments[0], line.arguments[1], levels->steps(), 1, weights);
    expect_relative(weights, line.values, 5e-14, "order " + std::to_string(line.arguments[0]));
  }
}

TEST(Weights, LinearInTimeAgreesWithTable) {
  for (const ReferenceLine& line : reference_lines("fractional_weights.txt", "t_linear")) {
    const std::vector<double>& of = line.arguments;
    double weight = 0;
    t_linear_weights(of[0], of[1], of[2], static_cast<Index>(of[3]), static_cast<Index>(of[4]), {&weight, 1});
    EXPECT_NEAR(weight / line.values[0], 1, 2e-12) << of[0] << " " << of[1] << ", " << of[4] << " of " << of[3];
  }
}

TEST(Weights, UnitValues) {
  const auto levels = levels_at({0, 0.1, 0.3, 0.6});
  std::vector<double> weights(3);
  l1_weights(*levels, 0.5, 3, 1, weights);
  expect_relative(weights, {7.615418367080e-01, 8.992291878288e-01, 2.060129077457e+00}, 1e-12, "l1");
  alikhanov_weights(*levels, 0.5, 0.25, 3, 1, weights);
  expect_relative(weights, {8.149444086677e-01, 9.832212353591e-01, 1.798165644027e+00}, 1e-12, "alikhanov");
  const double scale = std::tgamma(0.2) * 0.0025;
  weights.resize(10);
  t_linear_weights(0.8, 0.8, 0.0025, 10, 1, weights);
  for (double& weight : weights) weight *= scale;
  expect_relative({weights[0], weights[5], weights[8], weights[9]},
                  {2.857557757898e-02, 5.762975589044e-02, 1.467979658632e-01, 9.980833498330e-01}, 1e-12, "l1_t");
}

// On any mesh C = s gives s*^(1 - order)/Gamma(2 - order), and s^2 2 s*^(2 - order)/Gamma(3 - order) by Alikhanov's
// weights of every theta; sums of terms give sums.
TEST(Weights, AreExactForPolynomials) {
  std::mt19937 generator(5);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int sample = 0; sample < 40; ++sample) {
    std::vector<double> s{0};
    for (int l = 0; l < 20; ++l) s.push_back(s.back() + std::pow(10, -6 * uniform(generator)));
    const Medium medium{{uniform(generator), 0.5}, {sample % 2 == 0 ? 1 : uniform(generator), 0.2}};
    const auto levels = levels_at(s);
    for (const Scheme scheme : {Scheme::l1, Scheme::alikhanov}) {
      const Weights weights(levels, {scheme, {medium}, {}, 1});
      std::vector<double> row(20);
      weights.row(20, 0, 1, row);
      double linear = 0, quadratic = 0, expected_linear = 0, expected_quadratic = 0;
      for (std::size_t m = 1; m <= 20; ++m) {
        linear += row[m - 1] * (s[m] - s[m - 1]);
        quadratic += row[m - 1] * (s[m] - s[m - 1]) * (s[m] + s[m - 1]);
      }
      const double target = s[20] - weights.theta(20, 0) * (s[20] - s[19]);
      for (const Term& term : medium) {
        expected_linear += term.coefficient * std::pow(target, 1 - term.order) / std::tgamma(2 - term.order);
        expected_quadratic += term.coefficient * 2 * std::pow(target, 2 - term.order) / std::tgamma(3 - term.order);
      }
      EXPECT_NEAR(linear / expected_linear, 1, 1e-13);
      // The last cell is linear; theta is where that costs nothing.
      if (scheme == Scheme::alikhanov) {
        EXPECT_NEAR(quadratic / expected_quadratic, 1, 1e-12) << sample;
      }
    }
  }
}

TEST(Weights, OrderOneIsLocal) {
  const auto levels = levels_at({0, 0.1, 0.3, 0.6});
  for (const Scheme scheme : {Scheme::l1, Scheme::alikhanov}) {
    const Weights weights(levels, {scheme, {{{1, 2.0}}}, {}, 1});
    std::vector<double> row(3);
    weights.row(3, 0, 1, row);
    EXPECT_EQ(row[0], 0);
    EXPECT_EQ(row[1], 0);
    EXPECT_NEAR(row[2] * 0.3, 2, 1e-15);
  }
}

// Rows in pieces are rows; the weight of an increment is its own cell and what the cell before adds.
TEST(Weights, RowsInPieces) {
  const auto levels = levels_at({0, 0.1, 0.3, 0.6, 0.65, 1});
  const Weights weights(levels, {Scheme::alikhanov, {{{0.4, 1.0}}, {{0.7, 2.0}, {0.2, 1.0}}}, {}, 1});
  for (int medium = 0; medium < 2; ++medium) {
    std::vector<double> row(5), piece(2);
    weights.row(5, medium, 1, row);
    weights.row(5, medium, 3, piece);
    EXPECT_EQ(piece[0], row[2]);
    EXPECT_EQ(piece[1], row[3]);
    EXPECT_EQ(weights.local(5, medium), row[4]);
    EXPECT_DOUBLE_EQ(weights.own_cell(5, medium, 1), row[0]);
    EXPECT_LT(weights.own_cell(5, medium, 3), row[2]);
  }
}

}  // namespace
}  // namespace halocline::fractional
