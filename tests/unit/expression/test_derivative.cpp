// Derivatives against central differences with Richardson extrapolation, and against formulas worked out by hand.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "tests/unit/expression/expression_text.hpp"
#include "tests/unit/expression/formulas.hpp"

namespace halocline {
namespace {

using Point = std::array<double, 3>;

// Sixth order in h, rounding about 1e-12 for values near 1.
double difference(const Expression& e, const Point& point, int v) {
  const auto central = [&](double h) {
    Point up = point, down = point;
    up[static_cast<std::size_t>(v)] += h;
    down[static_cast<std::size_t>(v)] -= h;
    return (evaluate(e, up) - evaluate(e, down)) / (2 * h);
  };
  const double a = central(0.004), b = central(0.002), c = central(0.001);
  const double ab = (4 * b - a) / 3, bc = (4 * c - b) / 3;
  return (16 * bc - ab) / 15;
}

void expect_derivatives(const char* text, const Point& point) {
  const Expression e = test::parse(text);
  for (int v = 0; v < 3; ++v) {
    const double expected = difference(e, point, v), scale = std::max(1.0, std::abs(expected));
    EXPECT_NEAR(evaluate(derivative(e, v), point), expected, 2e-10 * scale) << text << " by variable " << v;
  }
}

TEST(Derivative, EveryFunctionAndOperation) {
  for (const char* text : {"sin(x*y)",
                           "cos(x*y)",
                           "tan(x*y)",
                           "asin(x*y)",
                           "acos(x*y)",
                           "atan(x*y)",
                           "sinh(x*y)",
                           "cosh(x*y)",
                           "tanh(x*y)",
                           "exp(x*y)",
                           "log(x + y)",
                           "log10(x + y)",
                           "sqrt(x + y)",
                           "cbrt(x + y)",
                           "erf(x*y - 1)",
                           "erfc(3*x - y)",
                           "x*floor(5*y) + ceil(3*x)*y",
                           "mod(x*z, y)",
                           "mod(x - 1.2, y^2)",
                           "mod(x, -z/7)",
                           "abs(x - y)",
                           "abs(y - x)",
                           "min(x*z, sin(y))",
                           "max(x*z, sin(y))",
                           "min(sin(y), x*z)",
                           "max(sin(y), x*z)",
                           "sign(x)*y",
                           "step(x)*y^2",
                           "step(-x)*y",
                           "hypot(x, y*z)",
                           "atan2(x, y*z)",
                           "atan2(-x, -y)",
                           "pow(x, y)",
                           "x^2.7",
                           "2.5^x",
                           "x^y^z",
                           "x^17",
                           "x^3 - y^-3",
                           "x/y",
                           "1/x",
                           "x/y/z",
                           "-x*y",
                           "(x + y)*(x - z)",
                           "x - x*y",
                           "if(x < y, x^2, y^3)",
                           "if(x > y, x^2, y^3*x)",
                           "if(x > y and not x + y < z or x == z, x^2, y^3*x)",
                           "if(x + y >= z, sin(x), 2)",
                           "x",
                           "7",
                           "sqrt(x)*cbrt(y)*z^(1/3)",
                           "exp(-x^2)*sin(3*y + z)/(1 + x^2)",
                           "x^-0.5"}) {
    expect_derivatives(text, {0.41, 0.73, 1.37});
    expect_derivatives(text, {0.87, 0.35, 0.62});
  }
}

TEST(Derivative, ActiveBranch) {
  const Expression e = derivative(test::parse("if(x < 0, x^2, x^3)"), 0);
  for (double x : {-1.5, 0.0, 1.5}) {
    EXPECT_EQ(evaluate(e, Point{x, 0, 0}), x < 0 ? 2 * x : 3 * x * x);
  }
  EXPECT_EQ(evaluate(derivative(test::parse("abs(x)"), 0), Point{-2, 0, 0}), -1);
  EXPECT_TRUE(derivative(test::parse("sign(x) + step(y) + floor(x*y) - ceil(x)"), 0).is_constant());
}

TEST(Derivative, ExactForms) {
  const Scope scope(test::xyz);
  const auto expect = [&](const char* text, const char* expected) {
    EXPECT_EQ(derivative(scope.parse(test::formula(text)), 0), scope.parse(test::formula(expected)))
        << to_string(derivative(scope.parse(test::formula(text)), 0));
  };
  expect("x", "1");
  expect("y", "0");
  expect("5", "0");
  expect("3*x", "3");
  expect("sin(x)", "cos(x)");
  expect("exp(y)*x", "exp(y)");
  expect("x/y", "1/y");
  expect("log(x)", "1/x");
  EXPECT_FALSE(derivative(scope.parse(test::formula("x^2.5")), 0).depends_on(1));
}

// A manufactured right-hand side of the modified Helmholtz equation, whose Laplacian is known.
TEST(Derivative, ManufacturedLaplacian) {
  const Scope scope(test::xyz);
  const Expression u = scope.parse(test::formula("sin(pi*x)*sinh(2*y)"));
  const Expression f = derivative(derivative(u, 0), 0) + derivative(derivative(u, 1), 1) - 1.0 * u;
  const double pi = 3.14159265358979323846;
  for (double x : {0.1, 0.6}) {
    const Point point{x, 0.8, 0};
    EXPECT_NEAR(evaluate(f, point), (4 - pi * pi - 1) * std::sin(pi * x) * std::sinh(1.6), 1e-13);
  }
}

TEST(Derivative, MixedDerivativesAgree) {
  const Expression u = test::parse("exp(x*y)*cos(x - y^2)/(1 + z*x)");
  const Expression xy = derivative(derivative(u, 0), 1), yx = derivative(derivative(u, 1), 0);
  const Point point{0.3, 0.7, 0.2};
  EXPECT_NEAR(evaluate(xy, point), evaluate(yx, point), 1e-13);
}

// Substituting formulas for variables and evaluating is evaluating at their values; across scopes too.
TEST(Substitute, PutsFormulasInPlaceOfVariables) {
  const Expression f = test::parse("if(x < y, x^2*sin(z), max(x, -y)) + hypot(x, y)/exp(z) - 3");
  const char* names[] = {"s", "t"};
  const Scope other(names);
  const std::array<Expression, 3> values{other.parse(test::formula("s*t")), 0.5,
                                         other.parse(test::formula("s - cos(t)"))};
  const Expression g = substitute(f, values);
  for (const auto& [s, t] : {std::pair(0.3, 0.7), std::pair(-1.2, 0.4), std::pair(2.0, 3.0)}) {
    const double at[] = {s, t}, there[] = {s * t, 0.5, s - std::cos(t)};
    EXPECT_DOUBLE_EQ(evaluate(g, at), evaluate(f, there)) << s << " " << t;
  }
  const std::array<Expression, 3> numbers{1, 2, 0};
  EXPECT_TRUE(substitute(f, numbers).is_constant());
  const std::array<Expression, 3> itself{test::parse("x"), 0, 0};
  EXPECT_TRUE(substitute(test::parse("4"), itself).is_constant());
}

}  // namespace
}  // namespace halocline
