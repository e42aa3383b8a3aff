// Mittag-Leffler functions against a table and closed forms.
#include "lib/problems/fractional/weights/mittag_leffler.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/fractional/reference_table.hpp"

namespace halocline::fractional {
namespace {

TEST(MittagLeffler, AgreesWithTable) {
  for (const ReferenceLine& line : reference_lines("fractional_mittag_leffler.txt", "mittag_leffler"))
    EXPECT_NEAR(mittag_leffler(line.arguments[0], line.arguments[1]) / line.values[0], 1,
                line.arguments[0] < 0.98 ? 1e-14 : 2e-13)
        << line.arguments[0] << " " << line.arguments[1];
}

TEST(MittagLeffler, ClosedForms) {
  for (const double x : {0.01, 0.5, 1.0, 3.0})
    EXPECT_NEAR(mittag_leffler(0.5, x) / (std::exp(x * x) * std::erfc(x)), 1, 1e-13) << x;
  EXPECT_EQ(mittag_leffler(1, 0.75), std::exp(-0.75));
  EXPECT_EQ(mittag_leffler(0.3, 0), 1);
}

}  // namespace
}  // namespace halocline::fractional
