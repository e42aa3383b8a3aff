// When a hierarchy is kept, refreshed, or set up anew.
#include "lib/problems/sparse/reuse.hpp"

#include <gtest/gtest.h>

namespace halocline::sparse {
namespace {

TEST(ReuseTest, FollowsTheWord) {
  for (const Index last : {1, 10, 1000}) {
    EXPECT_EQ(choose_renewal(Reuse::none, {0, 0}, 3, 10, last), Renewal::set_up);
    EXPECT_EQ(choose_renewal(Reuse::pattern, {0, 0}, 3, 10, last), Renewal::refresh);
    EXPECT_EQ(choose_renewal(Reuse::hierarchy, {0, 0}, 3, 10, last), Renewal::keep);
  }
}

// 1.5 times 10, and 2: 17 are too many.
TEST(ReuseTest, FollowsTheIterations) {
  EXPECT_EQ(choose_renewal(Reuse::automatic, {0, 0}, 3, 10, 16), Renewal::keep);
  EXPECT_EQ(choose_renewal(Reuse::automatic, {0, 0}, 3, 10, 17), Renewal::refresh);
  EXPECT_EQ(choose_renewal(Reuse::automatic, {0, 2}, 4, 10, 17), Renewal::refresh);
  EXPECT_EQ(choose_renewal(Reuse::automatic, {0, 3}, 4, 10, 17), Renewal::set_up);
  EXPECT_EQ(choose_renewal(Reuse::automatic, {0, 3}, 4, 10, 16), Renewal::keep);
  EXPECT_EQ(choose_renewal(Reuse::automatic, {3, 3}, 4, 17, 17), Renewal::keep);
}

}  // namespace
}  // namespace halocline::sparse
