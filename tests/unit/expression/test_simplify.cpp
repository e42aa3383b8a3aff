// The graph: shared nodes, folding, elimination of 0 and 1, powers; and building with operators.
#include <gtest/gtest.h>

#include <cmath>

#include "lib/base/error.hpp"
#include "tests/unit/expression/expression_text.hpp"
#include "tests/unit/expression/formulas.hpp"

namespace halocline {
namespace {

// Both texts become one node of one scope.
void expect_same(const char* a, const char* b) {
  const Scope scope(test::xyz);
  EXPECT_EQ(scope.parse(test::formula(a)), scope.parse(test::formula(b))) << a << "   " << b;
}

std::string simplified(const char* text) { return to_string(test::parse(text)); }

TEST(Simplify, EqualExpressionsAreOneNode) {
  expect_same("sin(x*y) + z", "z + sin(y*x)");
  expect_same("(x + y)*(x + y)", "(y + x)^2");
  EXPECT_EQ(test::parse("sin(x + y)*cos(x + y) + (x + y)").size(), 7);
}

TEST(Simplify, ZeroAndOne) {
  for (const char* text : {"x + 0", "0 + x", "x - 0", "x*1", "1*x", "x/1", "x^1", "(x)", "-(-x)", "x + 0*y",
                           "0*sin(y)/z + x", "x*z^0", "min(x, x)", "if(1 < 2, x, y)", "if(y < z, x, x)"}) {
    EXPECT_EQ(simplified(text), "x") << text;
  }
  EXPECT_EQ(simplified("x - x"), "0");
  EXPECT_EQ(simplified("0/x"), "0");
  EXPECT_EQ(simplified("0 - x"), "-x");
  EXPECT_EQ(simplified("-1*x"), "-x");
  EXPECT_EQ(simplified("x/-1"), "-x");
  EXPECT_EQ(simplified("x + -y"), "x - y");
  EXPECT_EQ(simplified("x - -y"), "x + y");
  EXPECT_EQ(simplified("-x*-y"), "x*y");
}

TEST(Simplify, ConstantsFold) {
  EXPECT_EQ(test::parse("2*pi/4 - sin(1)").value(), 2 * 3.14159265358979323846 / 4 - std::sin(1.0));
  EXPECT_EQ(simplified("2*3*x"), "6*x");
  EXPECT_EQ(test::parse("if(2 < 1, 3, 4)").value(), 4);
  EXPECT_EQ(test::parse("(-8)^(1/3)").value(), -2);
}

TEST(Simplify, DivisionByAConstantBecomesAProductOnlyWhenExact) {
  expect_same("x/4", "0.25*x");
  expect_same("x/-0.5", "-2*x");
  EXPECT_EQ(simplified("x/3"), "x/3");
  EXPECT_EQ(simplified("x/10"), "x/10");
  EXPECT_EQ(test::value("x/3", 1), 1.0 / 3.0);
  // The reciprocal of a subnormal power of two is infinite.
  EXPECT_EQ(test::value("x/4.9406564584124654e-324", 4.9406564584124654e-324), 1);
}

TEST(Simplify, Powers) {
  expect_same("x^2", "x*x");
  expect_same("x^4", "(x*x)*(x*x)");
  expect_same("x^-3", "1/(x^3)");
  expect_same("x^0.5", "sqrt(x)");
  expect_same("x^(1/2)", "sqrt(x)");
  expect_same("x^(1/3)", "cbrt(x)");
  expect_same("x^-0.5", "1/sqrt(x)");
  expect_same("x^(-1/3)", "1/cbrt(x)");
  EXPECT_EQ(test::parse("x^16").size(), 5);
  EXPECT_EQ(simplified("x^17"), "x^17");
  EXPECT_EQ(simplified("x^2.5"), "x^2.5");
  EXPECT_EQ(simplified("1^x"), "1");
  for (int n = -16; n <= 16; ++n) {
    const double expected = std::pow(1.1, n);
    EXPECT_NEAR(test::value("x^(" + std::to_string(n) + ")", 1.1), expected, 4e-16 * 16 * expected) << n;
  }
}

TEST(Simplify, DependsOn) {
  const Expression e = test::parse("x*sin(z) + 0*y");
  EXPECT_TRUE(e.depends_on(0));
  EXPECT_FALSE(e.depends_on(1));
  EXPECT_TRUE(e.depends_on(2));
  EXPECT_FALSE(Expression(3).depends_on(0));
}

TEST(Build, OperatorsMatchTheParser) {
  const Scope scope(test::xyz);
  const Expression x = scope.variable(0), y = scope.variable(1);
  EXPECT_EQ(2 * x + y / 3 - 1, scope.parse(test::formula("2*x + y/3 - 1")));
  EXPECT_EQ(power(x, 2.5) * -y, scope.parse(test::formula("-(x^2.5*y)")));
  EXPECT_EQ(combine(Operation::max, {x, 2}), scope.parse(test::formula("max(x, 2)")));
  EXPECT_EQ((Expression(2) + 3).value(), 5);
  EXPECT_EQ((0 * x).value(), 0);
  EXPECT_TRUE((x - x).is_constant());
  EXPECT_THROW(static_cast<void>(x.value()), InternalError);
}

TEST(Build, NumbersCombineWithAnyScopeButScopesDoNotMix) {
  const Scope one(test::xyz), two(test::xyz);
  const Expression number = Expression(2) * 3;
  EXPECT_NO_THROW(number + one.variable(0));
  EXPECT_NO_THROW(number + two.variable(0));
  EXPECT_THROW(one.variable(0) + two.variable(0), InternalError);
  EXPECT_FALSE(one.variable(0) == two.variable(0));
}

TEST(Build, GrowthIsLimited) {
  const Scope scope(test::xyz);
  Expression e = scope.variable(0);
  EXPECT_THROW(for (int i = 0; i < 2000000; ++i) e = combine(Operation::sin, {e}), DeckError);
}

TEST(Print, ParenthesesOnlyWhereNeeded) {
  for (const char* text : {"x + y*z", "z*(x + y)", "x - (y + z)", "x - (y - z)", "x/(y*z)", "x/(y/z)", "-(x + y)",
                           "-x^z", "x^y^z", "(x^y)^z", "x^-y", "(-x)^y", "if(x < y + 1, sin(x), hypot(x, y))", "-2^x",
                           "(-2)^x", "if(x <= y, 1, z)", "1.5e-07*x", "2^(x + 1)"}) {
    EXPECT_EQ(simplified(text), text);
  }
}

}  // namespace
}  // namespace halocline
