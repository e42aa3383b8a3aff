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

// After looks at steps 1, 2 and 4: the next one that is due is at step 8.
Looks looked(const Demand& of, double error = 0.1 * limit) {
  Looks looks(limit, slight);
  for (const Index level : {1, 2, 4}) {
    EXPECT_FALSE(looks.trust(level, of));
    looks.note(level, of, error);
  }
  return looks;
}

// The steps of [begin, end) that are looked at when looks find `error`.
std::vector<Index> looked_at(Looks& looks, Index begin, Index end, double error) {
  std::vector<Index> steps;
  for (Index l = begin; l < end; ++l)
    if (!looks.trust(l, demand(1, 1))) {
      looks.note(l, demand(1, 1), error);
      steps.push_back(l);
    }
  return steps;
}

TEST(Looks, AreTwiceAsFarApartEachTime) {
  Looks looks(limit, slight);
  EXPECT_EQ(looked_at(looks, 1, 1100, 0), (std::vector<Index>{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 768, 1024}));
}

// What sweeps leave out builds up again from step to step after one that was solved as a whole, wherever that was.
TEST(Looks, AreCloseAgainAfterAnErrorBeyondTheLimit) {
  Looks looks(limit, slight);
  looked_at(looks, 1, 64, 0);
  EXPECT_EQ(looked_at(looks, 64, 65, 2 * limit), (std::vector<Index>{64}));
  EXPECT_EQ(looked_at(looks, 65, 90, 0), (std::vector<Index>{65, 66, 67, 69, 73, 81}));
}

// Errors that grow like the square of the steps since then are seen before they are beyond the limit.
TEST(Looks, SeeErrorsThatBuildUp) {
  Looks looks(limit, slight);
  looked_at(looks, 1, 40, 2 * limit);
  for (Index l = 40; l < 1000; ++l) {
    const auto since = static_cast<double>(l - 39);
    const double error = 1e-4 * limit * since * since;
    if (error > limit) return;
    if (!looks.trust(l, demand(1, 1))) looks.note(l, demand(1, 1), error);
    EXPECT_TRUE(error < 0.9 * limit || !looks.trust(l + 1, demand(1, 1))) << "step " << l;
  }
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
  looks.note(5, demand(1, 1), 0);
  EXPECT_FALSE(looks.trust(6, demand(1, 1)));
  looks.note(6, demand(1, 1), 0);
  EXPECT_FALSE(looks.trust(7, demand(1, 1)));
  looks.note(7, demand(1, 1), 0);
  EXPECT_TRUE(looks.trust(8, demand(1, 1)));
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
