// Property: a random expression, printed and parsed again, has the same values.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "tests/unit/expression/expression_text.hpp"
#include "tests/unit/expression/formulas.hpp"
#include "tests/unit/expression/random_formula.hpp"

namespace halocline {
namespace {

bool same(double a, double b) { return (std::isnan(a) && std::isnan(b)) || a == b; }

TEST(Roundtrip, PrintedFormulasMeanTheSame) {
  std::mt19937 random(2024);
  int compared = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const Scope scope(test::xyz);
    const Expression e = test::random_expression(scope, random, 1 + trial % 6);
    const std::string text = to_string(e);
    if (text.find("inf") != std::string::npos || text.find("nan") != std::string::npos) continue;  // folded constants
    std::vector<FormulaFault> faults;
    const std::optional<Expression> again = Scope(test::xyz).parse(test::formula(text), faults);
    // Folding in another order may meet a constant without value, which only the parser refuses.
    if (!again && faults[0].message.find("zero") != std::string::npos) continue;
    ASSERT_TRUE(again.has_value()) << text << "\n" << faults[0].text();
    for (int p = 0; p < 4; ++p) {
      const double point[] = {-1.3 + p, 0.4 * p, 2.5 - p};
      EXPECT_TRUE(same(evaluate(e, point), evaluate(*again, point)))
          << text << "\n"
          << to_string(*again) << "\n"
          << evaluate(e, point) << " " << evaluate(*again, point);
      ++compared;
    }
  }
  EXPECT_GT(compared, 8000);
}

}  // namespace
}  // namespace halocline
