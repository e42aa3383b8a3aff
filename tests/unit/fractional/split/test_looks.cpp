// At which steps errors of sweeps are looked at.
#include "lib/problems/fractional/split/looks.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace halocline::fractional {
namespace {

constexpr double limit = 1e-3, slight = 1e-5;

Demand demand(double right, double side, double nu = 1) {
  Demand of;
  of.drives[0] = right;
  of.drives[3] = side;
  of.nu = nu;
  return of;
}

// After a look at step 4 of an error of a tenth of the limit.
Looks looked(const Demand& of, double error = 0.1 * limit) {
  Looks looks(limit, slight);
  EXPECT_FALSE(looks.trust(4, of));
  looks.note(of, error);
  return looks;
}

TEST(Looks, AreAtPowersOfTwoAndNeverFarApart) {
  Looks looks = looked(demand(1, 1), 0);
  std::vector<Index> steps;
  for (Index l = 5; l < 800; ++l)
    if (!looks.trust(l, demand(1, 1))) steps.push_back(l);
  EXPECT_EQ(steps, (std::vector<Index>{8, 16, 32, 64, 128, 256, 512, 768}));
}

TEST(Looks, FollowErrorsNearTheLimit) {
  EXPECT_TRUE(looked(demand(1, 1), 0.2 * limit).trust(5, demand(1, 1)));
  EXPECT_FALSE(looked(demand(1, 1), 0.3 * limit).trust(5, demand(1, 1)));
  EXPECT_FALSE(looked(demand(1, 1), 0.2 * limit).trust(5, demand(1.5, 1)));
  EXPECT_FALSE(looked(demand(1, 1), 0.2 * limit).trust(5, demand(1, 1, 1.5)));
}

// An error that changes its sign is small for a step.
TEST(Looks, AreTwoCalmOnesBeforeStepsAreTrusted) {
  Looks looks = looked(demand(1, 1), 0.5 * limit);
  EXPECT_FALSE(looks.trust(5, demand(1, 1)));
  looks.note(demand(1, 1), 0);
  EXPECT_FALSE(looks.trust(6, demand(1, 1)));
  looks.note(demand(1, 1), 0);
  EXPECT_TRUE(looks.trust(7, demand(1, 1)));
}

// However large others are.
TEST(Looks, FollowWhatGrows) {
  EXPECT_TRUE(looked(demand(1e3, 1), 0).trust(5, demand(1e3, 3)));
  EXPECT_FALSE(looked(demand(1e3, 1), 0).trust(5, demand(1e3, 5)));
  EXPECT_FALSE(looked(demand(1e3, 0), 0).trust(5, demand(1e3, 1e-3)));
  EXPECT_FALSE(looked(demand(1, 1), 0).trust(5, demand(std::numeric_limits<double>::infinity(), 1)));
}

// What had a shape of its own as it decayed, and grows again, is something else.
TEST(Looks, FollowWhatGrowsAgain) {
  Looks looks = looked(demand(1, 1), 0);
  EXPECT_TRUE(looks.trust(5, demand(1e-2, 1)));
  EXPECT_TRUE(looks.trust(6, demand(3e-2, 1)));
  EXPECT_FALSE(looks.trust(7, demand(5e-2, 1)));
}

TEST(Looks, DoNotFollowRounding) {
  Looks looks = looked(demand(1, 0), 0);
  EXPECT_TRUE(looks.trust(5, demand(1, 1e-16)));
  EXPECT_TRUE(looks.trust(6, demand(1, 0)));
  EXPECT_TRUE(looks.trust(7, demand(1, 1e-6)));
}

}  // namespace
}  // namespace halocline::fractional
