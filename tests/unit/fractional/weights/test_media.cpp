// Media found from the coefficients of nodes.
#include "lib/problems/fractional/weights/media.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace halocline::fractional {
namespace {

TEST(Media, FoundInAnyOrderAndNumberedAlike) {
  const std::vector<double> nodes{1, 0, 0, 1, 1, 0, 1, 0.3, 0, 1, -0.0, 1};
  MediaSet set(2);
  set.add(nodes);
  EXPECT_EQ(set.tuples(), (std::vector<double>{0, 1, 1, 0, 1, 0.3}));
  MediaSet other(2);
  for (std::size_t at = nodes.size(); at > 0; at -= 2) other.add({nodes.data() + at - 2, 2});
  EXPECT_EQ(other.tuples(), set.tuples());
  // Two ranks that saw some each.
  MediaSet left(2), right(2);
  left.add({nodes.data(), 6});
  right.add({nodes.data() + 6, 6});
  left.add(right.tuples());
  EXPECT_EQ(left.tuples(), set.tuples());

  const double asked[] = {1, 0.3}, absent[] = {1, 0.4};
  EXPECT_EQ(set.find(asked), 2);
  EXPECT_EQ(set.find(absent), -1);
}

TEST(Media, KeepTheTermsThatAct) {
  const double nodes[] = {1, 0, 0.5, 0, 2, 0}, orders[] = {1, 0.5, 0.2};
  MediaSet set(3);
  set.add(nodes);
  const std::vector<Medium> media = set.media(orders);
  ASSERT_EQ(media.size(), 2U);
  ASSERT_EQ(media[0].size(), 1U);
  EXPECT_EQ(media[0][0].order, 0.5);
  EXPECT_EQ(media[0][0].coefficient, 2);
  ASSERT_EQ(media[1].size(), 2U);
  EXPECT_EQ(media[1][1].order, 0.2);
  EXPECT_EQ(media[1][1].coefficient, 0.5);
}

TEST(Media, MoreThanSixteen) {
  MediaSet set(1);
  for (int i = 0; i < 16; ++i) {
    const double c = 16 - i;
    set.add({&c, 1});
  }
  EXPECT_FALSE(set.too_many());
  const std::vector<double> many{5, 17, 18, 19};
  set.add(many);
  EXPECT_TRUE(set.too_many());
  EXPECT_EQ(set.count(), 17);
  // Whoever hears of it sees it too.
  MediaSet other(1);
  other.add(set.tuples());
  EXPECT_TRUE(other.too_many());
}

TEST(Media, FaultsOfCoefficients) {
  EXPECT_EQ(fault_of_coefficients(std::vector<double>{0, 1}), "");
  EXPECT_EQ(fault_of_coefficients(std::vector<double>{1, -1e-30}), "negative");
  EXPECT_EQ(fault_of_coefficients(std::vector<double>{1, std::nan("")}), "not finite");
  EXPECT_EQ(fault_of_coefficients(std::vector<double>{0, 0}), "all zero");
}

}  // namespace
}  // namespace halocline::fractional
