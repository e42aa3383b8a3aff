// The closed solution of the carburizing problem: the differential equation, its walls, and its integral.
#include "lib/problems/diffusion/exact.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace halocline::diffusion {
namespace {

constexpr double pi = std::numbers::pi;

// V(a) as the specification writes it, by the midpoint rule after phi = atan(u), u = s / (1 - s).
double by_quadrature(double a, double q) {
  const int n = 40000;
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    const double s = (i + 0.5) / n, u = s / (1 - s);
    sum += std::erfc(q * (1 + 2 * a * a * u * u)) / (1 + u * u) / ((1 - s) * (1 - s));
  }
  return (a > 0 ? 1 : -1) * sum / n / pi;
}

TEST(Carburizing, IntegralsAreThoseOfTheSpecification) {
  for (const double x : {0.05, 0.4, 1.3})
    for (const double y : {-0.9, -0.02, 0.3, 1.1}) {
      const double angle = std::atan2(x, -y), q = std::hypot(x, y) / 0.7;
      const double a1 = std::cos(angle / 2 + pi / 4), a2 = std::cos(angle / 2 - pi / 4);
      const double expected = (a1 > 0 ? std::erfc(x / 0.7) : 0) - by_quadrature(a1, q) + by_quadrature(a2, q);
      EXPECT_NEAR(half_wall(x, y, 0.7), expected, 1e-9) << x << " " << y;
    }
}

// c_t = D lap c, by differences; 4 D t = scale^2.
TEST(Carburizing, SolvesTheEquation) {
  const double D = 0.3, t = 0.4, h = 1e-3;
  const auto c = [&](double x, double y, double time) { return half_wall(x, y, std::sqrt(4 * D * time)); };
  for (const double x : {0.1, 0.5, 1.2})
    for (const double y : {-0.6, 0.2, 0.9}) {
      const double laplacian =
          (c(x + h, y, t) + c(x - h, y, t) + c(x, y + h, t) + c(x, y - h, t) - 4 * c(x, y, t)) / (h * h);
      const double rate = (c(x, y, t + h) - c(x, y, t - h)) / (2 * h);
      EXPECT_NEAR(rate, D * laplacian, 2e-5) << x << " " << y;
    }
}

TEST(Carburizing, HoldsItsWalls) {
  const double h = 1e-6;
  for (const double y : {0.1, 0.5, 2.0}) {
    EXPECT_NEAR(half_wall(1e-12, -y, 1), 1, 1e-9);                                 // fixed
    EXPECT_NEAR((half_wall(2 * h, y, 1) - half_wall(h, y, 1)) / h, 0, 2e-5) << y;  // no flux
  }
  // Far from the junction it is the solution for a wall that is fixed as a whole, or there is nothing.
  EXPECT_NEAR(half_wall(0.5, -20, 1), std::erfc(0.5), 1e-12);
  EXPECT_NEAR(half_wall(0.5, 20, 1), 0, 1e-12);
}

// The integral over the square grows to what both walls let in.
TEST(Carburizing, IntegralIsTheUptake) {
  UniformGrid g;
  for (int axis = 0; axis < 2; ++axis) {
    g.extent[axis] = 256;
    g.spacing[axis] = 1;
  }
  EXPECT_NEAR(carburizing_uptake(g, 0.00625, 2e4), 3354.61, 5e-3);
  EXPECT_NEAR(carburizing_uptake(g, 0.00625, 1e5), 7846.63, 5e-3);
  const CarburizingCell solution = carburizing(g, 0.00625, 1e5);
  double sum = 0;
  for (Index j = 0; j < 256; ++j)
    for (Index i = 0; i < 256; ++i) sum += solution(i, j);
  EXPECT_NEAR(sum / carburizing_uptake(g, 0.00625, 1e5), 1, 2e-4);  // midpoint rule, with a root at the junctions
}

// The formula of the benchmark: distance to the nearer end of a wall.
TEST(Carburizing, BenchmarkFormulaIsErfcOfDistances) {
  UniformGrid g;
  g.layout = GridLayout::ringed;
  g.ring = 1;
  for (int axis = 0; axis < 2; ++axis) {
    g.extent[axis] = 14;
    g.spacing[axis] = 0.5;
  }
  // Points (i + 1, j + 1) / 2; left wall x = 0.5, y 0.5 to 4; right wall x = 7, y 4 to 7; 4 D t = 100.
  const double left = std::hypot(1.5, 1.0), right = 5.0;
  EXPECT_NEAR(benchmark(g, 0.25, 100)(3, 9), std::erfc(left / 10) + std::erfc(right / 10), 1e-14);
}

}  // namespace
}  // namespace halocline::diffusion
