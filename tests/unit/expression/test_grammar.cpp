// Grammar and meaning of formulas, compared with the C++ expressions they stand for.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/unit/expression/formulas.hpp"

namespace halocline {
namespace {

using test::value;
constexpr double pi = std::numbers::pi;

TEST(Grammar, PrecedenceAndAssociativity) {
  EXPECT_EQ(value("1 + 2*3"), 7);
  EXPECT_EQ(value("(1 + 2)*3"), 9);
  EXPECT_EQ(value("10 - 4 - 3"), 3);
  EXPECT_EQ(value("100/5/4"), 5);
  EXPECT_EQ(value("x - y - z", 10, 4, 3), 3);
  EXPECT_EQ(value("x/y/z", 100, 5, 4), 5);
  EXPECT_EQ(value("x/y*z", 100, 5, 4), 80);
}

TEST(Grammar, PowersAndSigns) {
  EXPECT_EQ(value("-x^2", 3), -9);
  EXPECT_EQ(value("(-x)^2", 3), 9);
  EXPECT_EQ(value("-2^2"), -4);
  EXPECT_EQ(value("2^3^2"), 512);
  EXPECT_EQ(value("(2^3)^2"), 64);
  EXPECT_EQ(value("x^y^z", 2, 3, 2), 512);
  EXPECT_EQ(value("x^-y", 2, 3), 0.125);
  EXPECT_EQ(value("x^-2", 4), 0.0625);
  EXPECT_EQ(value("2^-x^2", 3), std::pow(2.0, -9.0));
  EXPECT_EQ(value("x*-y", 2, 3), -6);
  EXPECT_EQ(value("x - -y", 2, 3), 5);
  EXPECT_EQ(value("+x", 2), 2);
  EXPECT_EQ(value("-x*y", 2, 3), -6);
}

TEST(Grammar, Numbers) {
  EXPECT_EQ(value("1.0e5"), 1.0e5);
  EXPECT_EQ(value("1."), 1.0);
  EXPECT_EQ(value(".5"), 0.5);
  EXPECT_EQ(value("1.e-3"), 1.e-3);
  EXPECT_EQ(value("2E+3"), 2000);
  EXPECT_EQ(value("010"), 10);
  EXPECT_EQ(value("8.902125058209557e-4"), 8.902125058209557e-4);
  EXPECT_EQ(value("5e-324"), 5e-324);
  EXPECT_EQ(value("1.7976931348623157e308"), 1.7976931348623157e308);
}

TEST(Grammar, BlanksAndLineBreaksSeparate) {
  EXPECT_EQ(value("  x\t+\n y * \r\n 2 ", 1, 2), 5);
  EXPECT_EQ(value("sin ( x )", 1), std::sin(1.0));
}

TEST(Grammar, NamesAreCaseSensitiveAndMayHoldDigits) {
  const char* variables[] = {"x1", "X1", "a_b", "e", "E5"};
  const Scope scope(variables);
  const double point[] = {1, 20, 300, 4000, 50000};
  EXPECT_EQ(evaluate(scope.parse(test::formula("x1 + X1 + a_b + e + E5")), point), 54321);
  EXPECT_EQ(evaluate(scope.parse(test::formula("2*e")), point), 8000);
}

TEST(Grammar, FunctionsOfOneArgument) {
  for (double x : {-0.7, -0.2, 0.3, 0.9}) {
    EXPECT_EQ(value("sin(x)", x), std::sin(x));
    EXPECT_EQ(value("cos(x)", x), std::cos(x));
    EXPECT_EQ(value("tan(x)", x), std::tan(x));
    EXPECT_EQ(value("asin(x)", x), std::asin(x));
    EXPECT_EQ(value("acos(x)", x), std::acos(x));
    EXPECT_EQ(value("atan(x)", x), std::atan(x));
    EXPECT_EQ(value("sinh(x)", x), std::sinh(x));
    EXPECT_EQ(value("cosh(x)", x), std::cosh(x));
    EXPECT_EQ(value("tanh(x)", x), std::tanh(x));
    EXPECT_EQ(value("exp(x)", x), std::exp(x));
    EXPECT_EQ(value("cbrt(x)", x), std::cbrt(x));
    EXPECT_EQ(value("erf(x)", x), std::erf(x));
    EXPECT_EQ(value("erfc(x)", x), std::erfc(x));
    EXPECT_EQ(value("floor(9*x)", x), std::floor(9 * x));
    EXPECT_EQ(value("ceil(9*x)", x), std::ceil(9 * x));
    EXPECT_EQ(value("abs(x)", x), std::abs(x));
    EXPECT_EQ(value("log(x)", 1 + x), std::log(1 + x));
    EXPECT_EQ(value("log10(x)", 1 + x), std::log10(1 + x));
    EXPECT_EQ(value("sqrt(x)", 1 + x), std::sqrt(1 + x));
  }
}

// Of whole numbers the remainder is exact; it has the sign of the divisor, however near a whole number the quotient is.
TEST(Grammar, RemaindersHaveTheSignOfTheDivisor) {
  for (int a = -9; a <= 9; ++a)
    for (const int b : {-4, -1, 1, 3, 4}) EXPECT_EQ(value("mod(x, y)", a, b), ((a % b) + b) % b) << a << " by " << b;
  for (int i = 1; i < 20000; ++i)
    for (const double b : {0.1, 1.0 / 3, -0.7}) {
      const double a = b * i, rest = value("mod(x, y)", a, b), turns = (a - rest) / b;
      EXPECT_TRUE(b > 0 ? rest >= 0 && rest < b : rest <= 0 && rest > b) << i << " times " << b << ": " << rest;
      EXPECT_NEAR(turns, std::round(turns), 1e-15 * i);
    }
}

// Known answer of Philox2x64-10 for the counter 0 and the key 0; evenly spread, and without a trace of the arguments.
TEST(Grammar, RandomNumbersAreThoseOfPhilox) {
  EXPECT_EQ(value("random(x, y)", 0, 0), static_cast<double>(0xca00a0459843d731ULL >> 11) * 0x1p-53);
  EXPECT_EQ(value("random(x, y)", -0.0, 0), value("random(x, y)", 0, 0));
  EXPECT_EQ(value("random(x, y)", 1.5, -2.25), 0.11115751185171563);
  EXPECT_EQ(value("random(x, 7)", 0.1), 0.1721825828520004);
  constexpr int side = 150;
  double sum = 0, squares = 0, beside = 0, last = 0.5;
  for (int i = 0; i < side * side; ++i) {
    const double one = value("random(x, random(y, 1))", 0.01 * (i % side), 1.0 / (1 + i / side)) - 0.5;
    ASSERT_TRUE(one >= -0.5 && one < 0.5);
    sum += one, squares += one * one, beside += one * last;
    last = one;
  }
  const double root = side;  // standard deviations 1/sqrt(12), 1/sqrt(180), 1/12, divided by this
  EXPECT_NEAR(sum / (side * side), 0, 4 * std::sqrt(1.0 / 12) / root);
  EXPECT_NEAR(squares / (side * side), 1.0 / 12, 4 * std::sqrt(1.0 / 180) / root);
  EXPECT_NEAR(beside / (side * side), 0, 4 * (1.0 / 12) / root);
}

TEST(Grammar, FunctionsOfTwoArguments) {
  for (double x : {-1.5, 0.25, 2.0}) {
    for (double y : {-0.5, 0.75, 2.0}) {
      EXPECT_EQ(value("atan2(x, y)", x, y), std::atan2(x, y));
      EXPECT_EQ(value("hypot(x, y)", x, y), std::hypot(x, y));
      EXPECT_EQ(value("min(x, y)", x, y), std::min(x, y));
      EXPECT_EQ(value("max(x, y)", x, y), std::max(x, y));
      EXPECT_EQ(value("pow(abs(x), y)", x, y), std::pow(std::abs(x), y));
      EXPECT_EQ(value("abs(x)^y", x, y), std::pow(std::abs(x), y));
    }
  }
}

TEST(Grammar, SignAndStep) {
  EXPECT_EQ(value("sign(x)", -3), -1);
  EXPECT_EQ(value("sign(x)", 0), 0);
  EXPECT_EQ(value("sign(x)", 3), 1);
  EXPECT_EQ(value("step(x)", -1e-300), 0);
  EXPECT_EQ(value("step(x)", 0), 1);
  EXPECT_EQ(value("step(x)", 2), 1);
}

TEST(Grammar, IfChoosesByEveryComparison) {
  for (double x : {1.0, 2.0, 3.0}) {
    EXPECT_EQ(value("if(x < 2, 10, 20)", x), x < 2 ? 10 : 20);
    EXPECT_EQ(value("if(x <= 2, 10, 20)", x), x <= 2 ? 10 : 20);
    EXPECT_EQ(value("if(x > 2, 10, 20)", x), x > 2 ? 10 : 20);
    EXPECT_EQ(value("if(x >= 2, 10, 20)", x), x >= 2 ? 10 : 20);
  }
  EXPECT_EQ(value("if(x < 0, sqrt(-x), if(x + 1 > 2*y, x, y))", 5, 1), 5);
  EXPECT_EQ(value("if(x < 0, 1/x, 7)", 0), 7) << "the branch not taken does not matter";
}

TEST(Grammar, Pi) { EXPECT_EQ(value("cos(2*pi*x)", 0.3), std::cos(2 * pi * 0.3)); }

TEST(ParseNumber, ReadsConstantFormulas) {
  EXPECT_EQ(parse_number(test::formula("2/3")), 2.0 / 3.0);
  EXPECT_EQ(parse_number(test::formula("1e-9")), 1e-9);
  EXPECT_EQ(parse_number(test::formula(" -3 ")), -3);
  EXPECT_EQ(parse_number(test::formula("sqrt(2)")), std::sqrt(2.0));
  EXPECT_EQ(parse_number(test::formula("pi/2")), pi / 2);
  EXPECT_EQ(parse_number(test::formula("2^40")), 1099511627776.0);
  EXPECT_THROW(parse_number(test::formula("x")), ExpressionError);
  EXPECT_THROW(parse_number(test::formula("yes")), ExpressionError);
  EXPECT_THROW(parse_number(test::formula("0x10")), ExpressionError);
  EXPECT_THROW(parse_number(test::formula("nan")), ExpressionError);
  EXPECT_THROW(parse_number(test::formula("")), ExpressionError);
  std::vector<FormulaFault> faults;
  EXPECT_FALSE(parse_number(test::formula("1 2"), faults).has_value());
  EXPECT_EQ(faults.size(), 1u);
}

TEST(Grammar, ConditionsMayBeJoinedAndTurned) {
  for (const double x : {0.0, 1.0, 2.0, 3.0})
    for (const double y : {0.0, 1.0, 2.0, 3.0}) {
      const auto holds = [x, y](const std::string& condition) {
        return value("if(" + condition + ", 1, 0)", x, y) == 1;
      };
      EXPECT_EQ(holds("x == y"), x == y);
      EXPECT_EQ(holds("x != y"), x != y);
      EXPECT_EQ(holds("not x < y"), !(x < y));
      EXPECT_EQ(holds("not not x < y"), x < y);
      EXPECT_EQ(holds("x < 2 and y > 1"), x < 2 && y > 1);
      EXPECT_EQ(holds("x < 2 or y > 1"), x < 2 || y > 1);
      EXPECT_EQ(holds("x < 1 or x > 2 and y < 1"), x < 1 || (x > 2 && y < 1));
      EXPECT_EQ(holds("(x < 1 or x > 2) and y < 1"), (x < 1 || x > 2) && y < 1);
      EXPECT_EQ(holds("not x < 1 and y < 1"), !(x < 1) && y < 1);
      EXPECT_EQ(holds("not (x < 1 and ((y < 1)))"), !(x < 1 && y < 1));
      EXPECT_EQ(holds("x == 1 or x == 2 or not y != 3"), x == 1 || x == 2 || y == 3);
      EXPECT_EQ(holds("(x + 1)*2 < (y) and (x) <= 2"), (x + 1) * 2 < y && x <= 2);
      EXPECT_EQ(holds("if(x < 1 and y < 2, 2, 3) < y + 1 or (if(x > y, 0, 1)) == 1"),
                (x < 1 && y < 2 ? 2 : 3) < y + 1 || (x > y ? 0 : 1) == 1);
      EXPECT_EQ(holds("(if(x < y, 1, 2) > 1)"), !(x < y));
    }
  EXPECT_EQ(value("if(2 < 3 and 1 == 1, x, y)", 5, 6), 5);  // folded
}

}  // namespace
}  // namespace halocline
