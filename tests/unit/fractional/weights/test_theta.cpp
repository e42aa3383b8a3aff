// theta of one, several and varying orders.
#include "lib/problems/fractional/weights/theta.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "lib/problems/fractional/weights/weights.hpp"
#include "tests/unit/fractional/reference_table.hpp"

namespace halocline::fractional {
namespace {

TEST(Theta, OneOrder) {
  EXPECT_EQ(alikhanov_theta({{0.6, 3.0}}, 0.1), 0.3);
  EXPECT_EQ(alikhanov_theta({{1, 3.0}}, 0.1), 0.5);
  EXPECT_EQ(alikhanov_theta({{0.6, 3.0}, {0.6, 1.0}}, 0.1), 0.3);
}

TEST(Theta, SeveralOrdersAgreeWithTable) {
  for (const ReferenceLine& line : reference_lines("fractional_weights.txt", "theta")) {
    Medium medium;
    for (std::size_t i = 1; i < line.arguments.size(); i += 2)
      medium.push_back({line.arguments[i], line.arguments[i + 1]});
    EXPECT_NEAR(alikhanov_theta(medium, line.arguments[0]), line.values[0], 2e-15) << line.arguments[0];
  }
}

std::shared_ptr<const Levels> quadratic_levels(Index steps) {
  const TimeChange psi{[](double t) { return t * t; }, [](double t) { return 2 * t; }};
  return std::make_shared<const Levels>(MeshOptions{Mesh::uniform_t, 1, steps, 1, 64}, psi);
}

TEST(Theta, VaryingOrderIsAFixedPoint) {
  const auto levels = quadratic_levels(7);
  const auto order = [](double t) { return 0.5 - 0.3 * t * std::sin(5 * t); };
  for (Index l = 1; l <= 7; ++l) {
    const OrderWithin at = order_within(*levels, order, l, true);
    EXPECT_NEAR(at.theta, 0.5 * at.order, 1e-15);
    const double s = at.theta * levels->s(l - 1) + (1 - at.theta) * levels->s(l);
    EXPECT_NEAR(at.order, order(std::sqrt(s)), 1e-14) << l;
    const OrderWithin at_level = order_within(*levels, order, l, false);
    EXPECT_EQ(at_level.order, order(levels->t(l)));
    EXPECT_EQ(at_level.theta, 0);
  }
  EXPECT_THROW(order_within(
                   *levels, [](double t) { return t - 0.5; }, 2, true),
               DeckError);
  EXPECT_THROW(order_within(
                   *levels, [](double) { return std::nan(""); }, 2, false),
               DeckError);
}

TEST(Theta, WeightsKnowTheirLevels) {
  const auto levels = quadratic_levels(7);
  const Medium mixed{{1, 1.0}, {0.5, 0.4}};
  const Weights weights(levels, {Scheme::alikhanov, {mixed, {{0.5, 1.0}}}, {}, 1});
  for (Index l = 1; l <= 7; ++l) {
    EXPECT_EQ(weights.theta(l, 0), alikhanov_theta(mixed, levels->step(l)));
    EXPECT_EQ(weights.theta(l, 1), 0.25);
  }
  const auto order = [](double t) { return 0.4 + 0.4 * t; };
  const Weights varying(levels, {Scheme::l1, {{{1, 2.0}}}, order, 1});
  EXPECT_EQ(varying.terms(3, 0)[0].order, order(levels->t(3)));
  EXPECT_EQ(varying.terms(3, 0)[0].coefficient, 2);
  EXPECT_EQ(varying.theta(3, 0), 0);
}

}  // namespace
}  // namespace halocline::fractional
