#include "lib/problems/collocation/axes/axis.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/collocation/dense_reference.hpp"

namespace halocline::collocation {
namespace {

const std::vector<double> graded{0, 0.3, 0.5, 0.9, 1.7, 2.0};

TEST(Axis, GaussPointsAreThoseOfLegendre) {
  const Axis axis(graded);
  const auto expected = reference::gauss_points(graded);
  ASSERT_EQ(axis.gauss().size(), expected.size());
  for (std::size_t g = 0; g < expected.size(); ++g) EXPECT_NEAR(axis.gauss()[g], expected[g], 1e-15);
}

TEST(Axis, RowsEqualPolynomialsEvaluatedAtGaussPoints) {
  const Axis axis(graded);
  for (int order = 0; order < 3; ++order) {
    const auto full = reference::full_axis(graded, order);
    const auto eliminated = reference::eliminated_axis(graded, order);
    for (Index g = 0; g < axis.unknowns(); ++g) {
      const auto row = axis.row(order, g), inner = axis.eliminated_row(order, g);
      for (int m = 0; m < 4; ++m) {
        EXPECT_NEAR(row[m], full[g][2 * (g / 2) + m], 1e-12 * (1 + std::abs(row[m]))) << order << " " << g;
        const Index column = 2 * (g / 2) - 1 + m;
        const double expected = column < 0 || column >= axis.unknowns() ? 0 : eliminated[g][column];
        EXPECT_NEAR(inner[m], expected, 1e-12 * (1 + std::abs(expected))) << order << " " << g << " " << m;
      }
    }
  }
}

TEST(Axis, RowsDifferentiateCubicsExactly) {
  const Axis axis(graded);
  for (Index g = 0; g < axis.unknowns(); ++g) {
    const Index e = g / 2;
    const double x = axis.gauss()[g], l = axis.nodes()[e], r = axis.nodes()[e + 1];
    const auto u = [](double t) { return t * t * t - 2 * t; };
    const auto du = [](double t) { return 3 * t * t - 2; };
    const double unknowns[4] = {u(l), axis.scale(e) * du(l), u(r), axis.scale(e + 1) * du(r)};
    const double expected[3] = {u(x), du(x), 6 * x};
    for (int order = 0; order < 3; ++order) {
      double value = 0;
      for (int m = 0; m < 4; ++m) value += axis.row(order, g)[m] * unknowns[m];
      EXPECT_NEAR(value, expected[order], 1e-12 * std::pow(10, order));
    }
  }
}

TEST(Axis, SlopesAreExactForPolynomialsOfDegreeSix) {
  for (const auto& nodes : {graded, std::vector<double>{0, 0.4, 1}}) {
    const Axis axis(nodes);
    const auto u = [](double t) { return std::pow(t, 6) - t * t + 1; };
    std::vector<double> at_nodes, at_gauss;
    for (double t : axis.nodes()) at_nodes.push_back(u(t));
    for (double t : axis.gauss()) at_gauss.push_back(u(t));
    const auto slopes = axis.scaled_slopes(at_nodes, at_gauss);
    for (std::size_t i = 0; i < slopes.size(); ++i) {
      const double t = axis.nodes()[i];
      EXPECT_NEAR(slopes[i], axis.scale(static_cast<Index>(i)) * (6 * std::pow(t, 5) - 2 * t), 1e-9);
    }
  }
}

TEST(Axis, KnowsUniformMeshes) {
  EXPECT_TRUE(Axis({0, 0.1, 0.2, 0.30000000000000004}).uniform());
  EXPECT_FALSE(Axis(graded).uniform());
  std::vector<double> far;
  for (int i = 0; i <= 20; ++i) far.push_back(1e6 + 0.05 * i);
  EXPECT_TRUE(Axis(far).uniform());
  far[1] += 1e-7;
  EXPECT_FALSE(Axis(far).uniform());
}

}  // namespace
}  // namespace halocline::collocation
