// Faulty formulas: what is said, at which column, with which excerpt; and hostile input.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/unit/expression/expression_text.hpp"
#include "tests/unit/expression/formulas.hpp"

namespace halocline {
namespace {

struct Case {
  const char* text;
  int column;  // from 1, in the text
  const char* message;
};

// Columns were counted by hand.
const Case cases[] = {
    {"", 1, "the formula is empty"},
    {"   ", 4, "the formula is empty"},
    {"x +", 4, "a value is missing before the end"},
    {"x + * y", 5, "a value is missing before '*'"},
    {"(x", 3, "')' is missing before the end"},
    {"x)", 2, "')' without '('"},
    {"()", 2, "a value is missing before ')'"},
    {"2x", 2, "a product is written with *"},
    {"x y", 3, "a product is written with *"},
    {"x(y)", 2, "'x' is not a function"},
    {"pi(2)", 3, "'pi' is not a function"},
    {"(x)(y)", 4, "a product is written with *"},
    {"x ** 2", 3, "a power is written with ^"},
    {"--x", 2, "two signs in a row"},
    {"x + yy", 5, "unknown name 'yy'; did you mean 'y'?"},
    {"q*x", 1, "unknown name 'q'; known are x, y, z, pi"},
    {"X", 1, "did you mean 'x'?"},
    {"t", 1, "unknown name 't'"},
    {"1 + sine(x)", 5, "unknown function 'sine'; did you mean 'sin'?"},
    {"1 + sine(x)", 5, "; known are if, sin, cos, tan, "},
    {"besselj(x)", 1, "unknown function 'besselj'; known are if, sin, cos, tan, "},
    {"sin", 1, "'sin' is a function and needs arguments"},
    {"2*if", 3, "'if' is a function and needs arguments"},
    {"sin()", 1, "'sin' takes 1 argument, 0 are given"},
    {"sin(x, y)", 1, "'sin' takes 1 argument, 2 are given"},
    {"1 + atan2(x)", 5, "'atan2' takes 2 arguments, 1 is given"},
    {"min(x, y, z, x)", 1, "'min' takes 2 arguments, 4 are given"},
    {"sin(x,)", 7, "a value is missing before ')'"},
    {"sin(x", 6, "')' is missing before the end"},
    {"x, y", 2, "',' outside the arguments of a function"},
    {"x < y", 3, "only as the first argument of 'if'"},
    {"1 + (x <= y)", 8, "only as the first argument of 'if'"},
    {"if(x, y, z)", 5, "the first argument of 'if' must compare"},
    {"if((x < y) + 1, 1, 2)", 12, "',' is missing before '+'"},
    {"if(x < y and z, 1, 2)", 15, "the first argument of 'if' must compare"},
    {"if(not x, 1, 2)", 9, "the first argument of 'if' must compare"},
    {"if(x < y and, 1, 2)", 13, "a value is missing before ','"},
    {"x and y", 3, "'and' joins comparisons"},
    {"not x", 1, "'not' joins comparisons"},
    {"x == y", 3, "a comparison is allowed only as the first argument of 'if'"},
    {"x ! y", 3, "unexpected character '!'"},
    {"if(x < y < z, 1, 2)", 10, "only one comparison"},
    {"if(x < y, 1)", 12, "'if' takes 3 arguments"},
    {"if(x < y)", 9, "'if' takes 3 arguments"},
    {"if(x < y, 1, 2, 3)", 15, "'if' takes 3 arguments"},
    {"if(x < y, 1 > 2, 2)", 13, "only as the first argument of 'if'"},
    {"x = 3", 3, "'=' is not allowed inside a formula"},
    {"x & y", 3, "unexpected character '&'"},
    {"x % y", 3, "unexpected character '%'"},
    {"\"x\"", 1, "unexpected character '\"'"},
    {"x; y", 2, "unexpected character ';'"},
    {"_x", 1, "unexpected character '_'"},
    {".", 1, "unexpected character '.'"},
    {"x.y", 2, "unexpected character '.'"},
    {"1.2.3", 4, "an operator is missing before '.3'"},
    {"2 \xc3\x97 x", 3, "only ASCII"},
    {"x\x01", 2, "control character"},
    {"1e", 2, "the exponent of this number has no digits"},
    {"1e+x", 2, "the exponent of this number has no digits"},
    {"x + 1e999", 5, "outside the range of double precision"},
    {"1e-999", 1, "outside the range of double precision"},
    {"x/0", 3, "division by zero"},
    {"1 + 2/(3 - 3)", 7, "division by zero"},
    {"0/0", 3, "division by zero"},
    {"1 + sqrt(-2)", 5, "square root of a negative number"},
    {"log(-1)", 1, "logarithm of a number that is not positive"},
    {"x*log10(0)", 3, "logarithm of a number that is not positive"},
    {"0^-1", 2, "has no finite value"},
    {"(-8)^0.7", 5, "has no finite value"},
    {"exp(1000)", 1, "has no finite value"},
    {"asin(2)", 1, "has no finite value"},
    {"1e308*10", 6, "has no finite value"},
    {"if(1e200*1e200 > x, 1, 2)", 9, "has no finite value"},
};

TEST(Faults, MessageAndColumn) {
  const Scope scope(test::xyz);
  for (const Case& c : cases) {
    std::vector<FormulaFault> faults;
    EXPECT_FALSE(scope.parse(test::at(c.text, 12, 21), faults).has_value()) << c.text;
    ASSERT_EQ(faults.size(), 1u) << c.text;
    EXPECT_NE(faults[0].message.find(c.message), std::string::npos) << c.text << ": " << faults[0].message;
    EXPECT_EQ(faults[0].place.line, 12) << c.text;
    EXPECT_EQ(faults[0].place.column, 20 + c.column) << c.text << ": " << faults[0].message;
    EXPECT_EQ(faults[0].place.file, "deck.yaml");
  }
}

TEST(Faults, ErrorShowsPlaceTextAndCaret) {
  try {
    Scope(test::xyz).parse(test::at("sin(x) + lambda*y", 7, 9));
    FAIL() << "accepted";
  } catch (const DeckError& error) {
    EXPECT_EQ(error.code(), ExitCode::deck);
    EXPECT_STREQ(error.what(),
                 "deck.yaml:7:18: unknown name 'lambda'; known are x, y, z, pi\n"
                 "    sin(x) + lambda*y\n"
                 "             ^");
  }
}

TEST(Faults, ThirtyOneCharactersAreTheLongestName) {
  const std::string longest(31, 'a'), longer(32, 'a');
  const char* variables[] = {longest.c_str()};
  EXPECT_NO_THROW(Scope(variables).parse(test::formula(longest)));
  std::vector<FormulaFault> faults;
  Scope(variables).parse(test::formula(longer), faults);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_NE(fault_of_name(longer), "");
  EXPECT_EQ(fault_of_name(longest), "");
}

TEST(Faults, SeveralUnknownNamesAreAllReported) {
  std::vector<FormulaFault> faults;
  Scope(test::xyz).parse(test::formula("aa/bb + sqrt(cc) + log(dd, x) + 1/0"), faults);
  ASSERT_EQ(faults.size(), 6u);
  const int columns[] = {1, 4, 14, 24, 20, 35};
  for (std::size_t i = 0; i < faults.size(); ++i) EXPECT_EQ(faults[i].place.column, columns[i]) << faults[i].message;
}

TEST(Faults, LineBreaksInTheTextCountLines) {
  std::vector<FormulaFault> faults;
  Scope(test::xyz).parse(test::at("x +\n  foo*y +\n z", 30, 15), faults);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].place.line, 31);
  EXPECT_EQ(faults[0].place.column, 0) << "the deck's indentation is not known";
  EXPECT_EQ(faults[0].excerpt, "      foo*y +\n      ^");
}

TEST(Faults, UnknownPlaceStaysUnknown) {
  std::vector<FormulaFault> faults;
  Scope(test::xyz).parse({"x + foo", {}}, faults);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].place.line, 0);
  EXPECT_EQ(faults[0].place.column, 0);
}

TEST(Faults, LongLinesAreCutAroundTheCaret) {
  std::vector<FormulaFault> faults;
  std::string text = "x";
  for (int i = 0; i < 200; ++i) text += " + x";
  Scope(test::xyz).parse(test::formula(text + " + foo" + text.substr(1)), faults);
  ASSERT_EQ(faults.size(), 1u);
  const std::string& excerpt = faults[0].excerpt;
  EXPECT_LT(excerpt.size(), 250u);
  const std::size_t newline = excerpt.find('\n');
  EXPECT_EQ(excerpt.substr(excerpt.size() - 1 - newline - 1, 3), "foo") << excerpt;
}

TEST(Faults, BytesATerminalMightInterpretAreNotShown) {
  std::vector<FormulaFault> faults;
  Scope(test::xyz).parse(test::formula("x + \x1b[31m + \xe2\x88\x92y"), faults);
  ASSERT_EQ(faults.size(), 1u);
  for (char c : faults[0].text()) EXPECT_TRUE(c == '\n' || (c >= ' ' && c <= '~'));
}

std::string repeat(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

TEST(Hostile, NestingIsLimited) {
  EXPECT_EQ(test::value(repeat("(", 199) + "x" + repeat(")", 199), 3), 3);
  for (const char* open : {"(", "sin(", "-(", "2^", "if(x<1,2,", "min(x,", "if(not ", "if(not("}) {
    for (int count : {200, 7000}) {
      std::vector<FormulaFault> faults;
      Scope(test::xyz).parse(test::formula(repeat(open, count) + "x"), faults);
      ASSERT_EQ(faults.size(), 1u);
      EXPECT_NE(faults[0].message.find("nested more than 200"), std::string::npos) << faults[0].message;
    }
  }
}

TEST(Hostile, LengthIsLimited) {
  std::vector<FormulaFault> faults;
  Scope(test::xyz).parse(test::formula(std::string(70000, '1')), faults);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_NE(faults[0].message.find("longer than 65536"), std::string::npos);
}

TEST(Hostile, OperationsAreLimited) {
  std::string text = "x";
  for (int i = 0; i < 6000; ++i) text += "+sin(" + std::to_string(i + 1) + "*x)";  // 3 nodes and a number each
  std::vector<FormulaFault> faults;
  ASSERT_LT(text.size(), Scope::max_text * 2);
  Scope(test::xyz).parse(test::formula(text.substr(0, text.find(")", 60000) + 1)), faults);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_NE(faults[0].message.find("more than 10000 operations"), std::string::npos) << faults[0].message;
}

TEST(Hostile, LongSumsAreNoProblem) {
  EXPECT_EQ(test::value("x" + repeat("+x*x", 9000), 1), 9001);
  const std::string text = "x" + repeat("-sin(x)", 2000);
  const Expression e = test::parse(text);
  EXPECT_NEAR(test::value(to_string(e), 1), 1 - 2000 * std::sin(1.0), 1e-9);
  EXPECT_NO_THROW(derivative(e, 0));
}

TEST(Hostile, ManyFaultsInOneFormulaAreCut) {
  std::vector<FormulaFault> faults;
  Scope(test::xyz).parse(test::formula("x" + repeat("+foo", 10000)), faults);
  EXPECT_LE(faults.size(), 20u);
}

TEST(Hostile, RandomTextIsRefusedOrEvaluated) {
  const std::string pieces[] = {
      "x",    "y",    "1", "2.5", "+", "-",  "*", "/", "^", "(",  ")",    ",",
      "sin(", "if(",  "<", ">=",  "=", "pi", "e", " ", ".", "1e", "\xff", std::string(1, '\0'),
      "max(", "pow(", "0", "t"};
  std::mt19937 random(7);
  const Scope scope(test::xyz);
  const double point[] = {0.3, -1.2, 4};
  int accepted = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    std::string text;
    for (unsigned i = random() % 12 + 1; i > 0; --i) text += pieces[random() % std::size(pieces)];
    std::vector<FormulaFault> faults;
    const std::optional<Expression> parsed = Scope(test::xyz).parse(test::formula(text), faults);
    EXPECT_NE(parsed.has_value(), !faults.empty()) << text;
    if (!parsed) continue;
    ++accepted;
    evaluate(*parsed, std::span(point).first(parsed->is_constant() ? 0 : 3));
  }
  EXPECT_GT(accepted, 100);
}

}  // namespace
}  // namespace halocline
