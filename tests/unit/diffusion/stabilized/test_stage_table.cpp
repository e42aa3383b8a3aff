// Coefficients of stabilized methods: order, reach, damping, and rounding, inside a step as well.
#include <gtest/gtest.h>

#include "lib/problems/diffusion/stabilized/stage_table.hpp"
#include "tests/unit/diffusion/stabilized/polynomials.hpp"

namespace halocline::diffusion {
namespace {

struct Range {
  double last, largest;  // |R(z)| of the step, and the largest of its stages
};

Range of_mode(const StageTable& table, double z) {
  double before = 0, now = table[1].rate * z, largest = std::abs(1 + now);
  for (int j = 2; j <= table.stages(); ++j) {
    const StageTable::Stage& s = table[j];
    const double next = s.mu * now + s.nu * before + z * (s.rate * (1 + now) + s.start);
    before = now, now = next;
    largest = std::max(largest, std::abs(1 + now));
  }
  return {1 + now, largest};
}

class Methods : public testing::TestWithParam<TimeMethod> {
 protected:
  bool exists(int s) const { return GetParam() == TimeMethod::rkc || s % 2 == 1; }
};
INSTANTIATE_TEST_SUITE_P(Both, Methods, testing::Values(TimeMethod::rkc, TimeMethod::rkl2),
                         [](const auto& info) { return std::string(word_for(info.param)); });

TEST_P(Methods, AreThePolynomialsOfThePapers) {
  StageTable table(GetParam(), 300);
  for (int s = GetParam() == TimeMethod::rkc ? 2 : 3; s <= 300; s += s < 12 ? 1 : 17) {
    if (!exists(s)) continue;
    table.choose(s);
    const double reach = stable_reach(GetParam(), s);
    for (int n = 0; n <= 200; ++n) {
      const double z = -reach * n / 200;
      EXPECT_NEAR(of_mode(table, z).last, stability(GetParam(), s, z), 1e-9) << s << " stages, z " << z;
    }
  }
}

TEST_P(Methods, AreStableUpToTheirReachInEveryStage) {
  StageTable table(GetParam(), 300);
  for (const int s : {2, 3, 4, 5, 8, 9, 21, 51, 101, 250, 299}) {
    if (!exists(s)) continue;
    table.choose(s);
    const double reach = stable_reach(GetParam(), s);
    for (int n = 1; n <= 4000; ++n) EXPECT_LE(of_mode(table, -reach * n / 4000).largest, 1 + 1e-11) << s;
    EXPECT_GT(std::abs(of_mode(table, -(s < 9 ? 1.6 : 1.03) * reach).last), 1.0) << s;
    // Fast modes are damped, by rkl2 more.
    double most = 0;
    for (int n = 4000 / s + 1; n <= 4000; ++n) most = std::max(most, std::abs(of_mode(table, -reach * n / 4000).last));
    EXPECT_LT(most, GetParam() == TimeMethod::rkc ? 0.97 : 0.8) << s;
  }
}

TEST_P(Methods, ReachAsTheSquareOfTheirStages) {
  const double share = GetParam() == TimeMethod::rkc ? 0.6534 : 0.5;
  EXPECT_NEAR(stable_reach(GetParam(), 201) / (201.0 * 201), share, 0.004);
  EXPECT_EQ(stages_for(GetParam(), 0, 9), GetParam() == TimeMethod::rkc ? 2 : 3);
  for (const int s : {3, 5, 17, 99}) {
    const double reach = stable_reach(GetParam(), s);
    EXPECT_EQ(stages_for(GetParam(), reach, 1000), s);
    EXPECT_EQ(stages_for(GetParam(), reach * 1.0001, 1000), s + (GetParam() == TimeMethod::rkc ? 1 : 2));
    EXPECT_GT(stages_for(GetParam(), reach * 1.0001, s), s);
  }
  EXPECT_EQ(largest_reach(GetParam(), 10), stable_reach(GetParam(), GetParam() == TimeMethod::rkc ? 10 : 9));
  EXPECT_EQ(stages_for(GetParam(), 1e300, 250), 251);
}

TEST_P(Methods, HaveOrderTwo) {
  StageTable table(GetParam(), 99);
  for (const int s : {3, 5, 9, 33, 99}) {
    table.choose(s);
    double flow = 0, moment = 0;
    for (int j = 0; j < s; ++j) flow += table[j].weight, moment += table[j].weight * table[j].time;
    EXPECT_NEAR(flow, 1, 1e-12) << s;
    EXPECT_NEAR(moment, 0.5, 1e-12) << s;
    EXPECT_NEAR(table[s].time, 1, 1e-12) << s;
    for (int j = 1; j <= s; ++j) EXPECT_GT(table[j].time, table[j - 1].time) << s;
    // R(z) = exp(z) - C z^3 + ..., and the estimate times the share is that error.
    const double z = -0.01, R = stability(GetParam(), s, z);
    const double estimate = table.error_share() * (1 - R + z / 2 * (1 + R));
    EXPECT_NEAR(estimate / (std::exp(z) - R), 1, 0.02) << s;
  }
}

}  // namespace
}  // namespace halocline::diffusion
