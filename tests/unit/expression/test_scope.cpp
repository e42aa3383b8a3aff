// Names: constants and definitions in any order, circles, duplicates, restricted formulas, unused names.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/unit/expression/expression_text.hpp"
#include "tests/unit/expression/formulas.hpp"

namespace halocline {
namespace {

using test::at;
using test::formula;

std::vector<FormulaFault> faults_of(const Definitions& definitions) {
  std::vector<FormulaFault> faults;
  Scope(test::xyz, definitions, faults);
  return faults;
}

// The definitions have one fault, at this line and column, with this text in its message.
void expect_fault(const Definitions& definitions, int line, int column, const std::string& message) {
  const std::vector<FormulaFault> faults = faults_of(definitions);
  ASSERT_EQ(faults.size(), 1u) << message << (faults.empty() ? "" : faults[0].message);
  EXPECT_NE(faults[0].message.find(message), std::string::npos) << faults[0].message;
  EXPECT_EQ(faults[0].place.line, line) << message;
  EXPECT_EQ(faults[0].place.column, column) << message;
}

TEST(Scope, DefinitionsInAnyOrder) {
  const Definitions definitions{{{"b", formula("2*a")}, {"a", formula("3")}},
                                {formula("r = sqrt(q)"), formula("q=x^2 + k*y^2"), formula(" k  =  b/a")},
                                {}};
  const Scope scope(test::xyz, definitions);
  const double point[] = {3, 4, 0};
  EXPECT_EQ(evaluate(scope.parse(formula("r + b")), point), std::sqrt(9.0 + 2 * 16.0) + 6);
  EXPECT_TRUE(scope.find("k")->is_constant());
  EXPECT_EQ(scope.find("k")->value(), 2);
  EXPECT_EQ(scope.find("missing"), std::nullopt);
}

// The coefficients of the bubble model (Keller, Miksis), against direct evaluation.
TEST(Scope, CoefficientsOfABubble) {
  const char* variables[] = {"f1"};
  const Definitions definitions{
      {{"rho", formula("997.0639504998557")},
       {"pv", formula("3166.775638952003")},
       {"sigma", formula("0.071977583160056")},
       {"Pinf", formula("1.0e5")},
       {"RE", formula("10.0e-6")}},
      {formula("C0 = pg*k^2/rho"), formula("k = 1/(RE*f1)"), formula("pg = Pinf - pv + 2*sigma/RE")},
      {}};
  const double f1 = 20e3;
  const double k = 1 / (10.0e-6 * f1), pg = 1e5 - 3166.775638952003 + 2 * 0.071977583160056 / 10.0e-6;
  const double expected = pg * k * k / 997.0639504998557;
  EXPECT_NEAR(evaluate(*Scope(variables, definitions).find("C0"), std::span(&f1, 1)) / expected, 1, 1e-15);
}

TEST(Scope, AConstantZeroDropsItsTerms) {
  const Scope scope(test::xyz, {{{"A", formula("0")}}, {formula("f = x + A*sin(y)/z")}, {}});
  EXPECT_EQ(*scope.find("f"), scope.variable(0));
  EXPECT_FALSE(scope.find("f")->depends_on(1));
}

TEST(Scope, Circles) {
  expect_fault({{}, {at("k = k + 1", 3, 5)}, {}}, 3, 5, "circular definition: k uses k");
  expect_fault({{}, {at("a = b", 3, 5), at("b = c*x", 4, 5), at("c = a", 5, 5)}, {}}, 3, 5,
               "circular definition: a uses b uses c uses a");
  // What hangs on a circle is not reported for itself.
  expect_fault({{}, {at("u = v", 3, 5), at("v = w", 4, 5), at("w = v", 5, 5)}, {}}, 4, 5,
               "circular definition: v uses w");
  expect_fault({{{"a", at("b", 1, 2)}, {"b", at("a", 2, 2)}}, {}, {}}, 1, 2, "circular definition: a uses b uses a");
  EXPECT_EQ(faults_of({{}, {formula("a=a"), formula("b=b"), formula("c=d"), formula("d=c")}, {}}).size(), 3u);
}

TEST(Scope, NamesUsedTwice) {
  expect_fault({{}, {at("k = 1", 3, 5), at("k = 2", 4, 5)}, {}}, 4, 5, "'k' is already defined");
  expect_fault({{{"k", at("1", 2, 9)}}, {at("k = 2", 4, 5)}, {}}, 4, 5, "'k' is already a constant");
  expect_fault({{}, {at("x = 2", 4, 5)}, {}}, 4, 5, "'x' is already a variable");
  expect_fault({{{"y", at("1", 2, 9)}}, {}, {}}, 2, 9, "'y' is already a variable");
}

TEST(Scope, ReservedAndMalformedNames) {
  for (const char* name : {"and", "or", "not", "t", "pi", "sin", "if", "pow", "atan2", "step"}) {
    expect_fault({{}, {at(std::string(name) + " = 2", 4, 5)}, {}}, 4, 5, "is reserved");
    EXPECT_NE(fault_of_name(name), "");
  }
  for (const char* name : {"", "1a", "a-b", "_a", "a b", "\xc3\xa4"}) EXPECT_NE(fault_of_name(name), "") << name;
  for (const char* name : {"a", "x1", "T", "Pi", "a_b"}) EXPECT_EQ(fault_of_name(name), "") << name;
  expect_fault({{{"2k", at("1", 2, 9)}}, {}, {}}, 2, 9, "a name consists of letters");
  expect_fault({{}, {at(std::string(32, 'k') + " = 1", 2, 9)}, {}}, 2, 9, "longer than 31");
}

TEST(Scope, MalformedDefinitions) {
  expect_fault({{}, {at("k + 1", 3, 5)}, {}}, 3, 7, "'=' is missing");
  expect_fault({{}, {at("k", 3, 5)}, {}}, 3, 6, "'=' is missing");
  expect_fault({{}, {at("= 2", 3, 5)}, {}}, 3, 5, "a definition reads 'name = formula'");
  expect_fault({{}, {at("k = ", 3, 5)}, {}}, 3, 9, "the formula is empty");
  expect_fault({{}, {at("k = x = y", 3, 5)}, {}}, 3, 11, "'=' is not allowed");
  expect_fault({{}, {at("k == y", 3, 5)}, {}}, 3, 7, "'=' is missing: a definition reads");
  expect_fault({{}, {at("k = 2*foo", 3, 5)}, {}}, 3, 11, "unknown name 'foo'");
}

TEST(Scope, ConstantsDependOnNoVariable) {
  expect_fault({{{"k", at("2*x", 2, 9)}}, {}, {}}, 2, 11, "'x' may not be used here; a constant is expected");
  expect_fault({{{"k", at("2*q", 2, 9)}}, {at("q = y", 5, 5)}, {}}, 2, 11,
               "'q' depends on 'y', which may not be used here");
}

TEST(Scope, AFaultyDefinitionCausesNoOtherFaults) {
  const Definitions definitions{{}, {formula("k = foo"), formula("m = 1/k + sqrt(k)")}, {}};
  std::vector<FormulaFault> faults;
  const Scope scope(test::xyz, definitions, faults);
  EXPECT_EQ(faults.size(), 1u);
  scope.parse(formula("log(m)/k"), faults);
  EXPECT_EQ(faults.size(), 1u);
}

TEST(Scope, AllFaultsAreThrownTogether) {
  const Definitions definitions{{{"a", at("1/0", 2, 5)}}, {at("k = foo", 3, 5), at("m = )", 4, 5)}, {}};
  try {
    const Scope scope(test::xyz, definitions);
    FAIL() << "accepted";
  } catch (const ExpressionError& error) {
    ASSERT_EQ(error.faults().size(), 3u);
    const std::string text = error.what();
    for (const char* part :
         {"deck.yaml:2:7: division by zero", "deck.yaml:3:9: unknown name 'foo'", "deck.yaml:4:9: "}) {
      EXPECT_NE(text.find(part), std::string::npos) << text;
    }
  }
}

TEST(Scope, FormulasMayBeRestrictedToSomeVariables) {
  const char* variables[] = {"x", "y", "t"};
  const Scope scope(variables, {{{"c", formula("2")}}, {formula("k = c*x"), formula("m = c*t")}, {}});
  const char* only_t[] = {"t"};
  const double point[] = {7, 8, 3};
  EXPECT_EQ(evaluate(scope.parse(formula("m + t^2"), only_t), point), 15);
  EXPECT_EQ(scope.parse(formula("c + 1"), {}).value(), 3);
  std::vector<FormulaFault> faults;
  EXPECT_FALSE(scope.parse(formula("t + x + k"), only_t, faults).has_value());
  ASSERT_EQ(faults.size(), 2u);
  EXPECT_EQ(faults[0].message, "'x' may not be used here; the formula may depend on t");
  EXPECT_EQ(faults[1].message, "'k' depends on 'x', which may not be used here");
  EXPECT_EQ(faults[1].place.column, 9);
}

TEST(Scope, UnusedNames) {
  const Scope scope(test::xyz, {{{"a", formula("1")}, {"b", formula("2")}}, {formula("k = b"), formula("m = 3")}, {}});
  EXPECT_EQ(scope.unused(), (std::vector<std::string>{"a", "k", "m"}));
  scope.parse(formula("k*a"));
  EXPECT_EQ(scope.unused(), std::vector<std::string>{"m"});
}

// "d<i> = <text>", where every # stands for d<i-1>.
Formula chained(int i, const std::string& text) {
  std::string definition = test::numbered("d", i).append(" = ");
  for (char c : text) {
    if (c == '#') {
      definition.append(test::numbered("d", i - 1));
    } else {
      definition.push_back(c);
    }
  }
  return formula(definition);
}

TEST(Scope, TenThousandChainedDefinitions) {
  Definitions definitions;
  for (int i = 9998; i > 0; --i) definitions.definitions.push_back(chained(i, "sin(#)"));
  definitions.definitions.push_back(formula("d0 = x"));
  const Scope scope(test::xyz, definitions);
  const Expression last = scope.parse(formula("d9998"));
  double expected = 1;
  for (int i = 0; i < 9998; ++i) expected = std::sin(expected);
  const double point[] = {1, 0, 0};
  EXPECT_EQ(evaluate(last, point), expected);
  EXPECT_NO_THROW(derivative(last, 0));
  definitions.definitions.back() = formula("d0 = d9998");
  EXPECT_EQ(faults_of(definitions).size(), 1u);
  for (int i = 0; i < 20; ++i) definitions.definitions.push_back(formula(test::numbered("e", i).append(" = 1")));
  expect_fault(definitions, 0, 0, "more than 10000 constants and definitions");
}

// Doubling in every definition: a tree of 2^40 nodes, a graph of 121.
TEST(Scope, DefinitionsDoNotExplode) {
  Definitions definitions{{}, {formula("d0 = x")}, {}};
  for (int i = 1; i <= 40; ++i) definitions.definitions.push_back(chained(i, "sin(#) + cos(#)"));
  const Expression last = *Scope(test::xyz, definitions).find("d40");
  EXPECT_EQ(last.size(), 121);
  EXPECT_LE(to_string(last).size(), 100003u);
  EXPECT_TRUE(derivative(last, 0).depends_on(0));
}

TEST(NearestName, EditDistance) {
  const std::vector<std::string> known{"lambda", "mu", "x_min", "max_error"};
  EXPECT_EQ(nearest_name("lamda", known), "lambda");
  EXPECT_EQ(nearest_name("LAMBDA", known), "lambda");
  EXPECT_EQ(nearest_name("x_mni", known), "x_min");
  EXPECT_EQ(nearest_name("maxerror", known), "max_error");
  EXPECT_EQ(nearest_name("nu", known), "mu");
  EXPECT_EQ(nearest_name("kappa", known), "");
  EXPECT_EQ(nearest_name("q", known), "");
  EXPECT_EQ(nearest_name("", known), "");
}

}  // namespace
}  // namespace halocline
