// Tolerances and damping of Newton's method, against their formulas worked out by hand.
#include <gtest/gtest.h>

#include <limits>

#include "lib/problems/collocation/newton/step_control.hpp"

namespace halocline::collocation {
namespace {

TEST(StepControl, TolerancesFollowTheResidual) {
  EXPECT_DOUBLE_EQ(next_tolerance(1, 0.1, 0.01), 0.9 * 0.01);
  EXPECT_DOUBLE_EQ(next_tolerance(2, 0.002, 0.01), tightest_tolerance);  // 9e-7
  EXPECT_DOUBLE_EQ(next_tolerance(1, 0.9, 0.01), loosest_tolerance);
  EXPECT_DOUBLE_EQ(next_tolerance(0, 1, 0.01), loosest_tolerance);
}

TEST(StepControl, AcceptsWhatReducesTheResidual) {
  EXPECT_TRUE(reduces(1, 1, 0.5));
  EXPECT_FALSE(reduces(1, 1, 1));
  EXPECT_FALSE(reduces(1, 1, 0.99995));
  EXPECT_TRUE(reduces(0.1, 1, 0.99998));
  EXPECT_FALSE(reduces(1, 1, std::numeric_limits<double>::quiet_NaN()));
}

// Squares 1 at 0 with slope -2, and r^2 at 1: their parabola has its minimum at 1 / (1 + r^2).
TEST(StepControl, ShortensToTheMinimumOfAParabola) {
  EXPECT_DOUBLE_EQ(shorter(1, 2, 4), 0.2);
  EXPECT_DOUBLE_EQ(shorter(1, 1, 1), 0.5);
  EXPECT_DOUBLE_EQ(shorter(1, 1, 10), 0.1);
  EXPECT_DOUBLE_EQ(shorter(0.5, 1, std::numeric_limits<double>::infinity()), 0.05);
  EXPECT_DOUBLE_EQ(shorter(1, 1, std::numeric_limits<double>::quiet_NaN()), 0.1);
}

}  // namespace
}  // namespace halocline::collocation
