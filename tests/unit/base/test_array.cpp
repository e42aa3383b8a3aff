// Arrays: whose memory they own, copies from and to the host, and when they give it back.
#include <gtest/gtest.h>

#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "lib/base/array.hpp"
#include "tests/unit/executors.hpp"

namespace halocline {
namespace {

using ArrayTest = OnEveryExecutor;

std::vector<int> counted(Index n) {
  std::vector<int> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), 1);
  return values;
}

TEST_P(ArrayTest, GivesBackWhatItWasGiven) {
  Array<int, 2> array(executor(), {3, 5});
  EXPECT_EQ(array.size(), 15);
  EXPECT_EQ(array.view().extent[0], 3);
  EXPECT_EQ(array.view().extent[1], 5);
  EXPECT_EQ(array.executor(), executor());
  array.assign(counted(15));
  EXPECT_EQ(array.to_host(), counted(15));
}

TEST_P(ArrayTest, CopiesFromArraysOfItsExecutor) {
  const Array<int, 1> from = make_array(executor(), counted(1000));
  Array<int, 1> to(executor(), {1000});
  to.assign(from);
  EXPECT_EQ(to.to_host(), counted(1000));
}

TEST_P(ArrayTest, RefusesOtherExecutorsAndOtherSizes) {
  Array<int, 1> array(executor(), {4});
  EXPECT_THROW(array.assign(Array<int, 1>(make_test_executor(GetParam()), {4})), InternalError);
  EXPECT_THROW(array.assign(Array<int, 1>(executor(), {5})), InternalError);
  EXPECT_THROW(array.assign(counted(3)), InternalError);
}

TEST_P(ArrayTest, MovesItsMemory) {
  static_assert(!std::is_copy_constructible_v<Array<int, 1>> && !std::is_copy_assignable_v<Array<int, 1>>);
  Array<int, 1> first = make_array(executor(), counted(4));
  const int* const memory = first.view().data;
  Array<int, 1> second = std::move(first);
  EXPECT_EQ(second.view().data, memory);
  EXPECT_EQ(first.size(), 0);  // NOLINT(bugprone-use-after-move): moved-from arrays are empty
  EXPECT_EQ(first.executor(), nullptr);
  Array<int, 1> third = make_array(executor(), counted(2));
  third = std::move(second);
  EXPECT_EQ(third.to_host(), counted(4));
}

TEST_P(ArrayTest, MayBeEmpty) {
  const Array<double, 1> nothing;
  EXPECT_EQ(nothing.size(), 0);
  EXPECT_EQ(nothing.executor(), nullptr);
  const Array<double, 1> none = make_array(executor(), std::vector<double>{});
  EXPECT_EQ(none.size(), 0);
  EXPECT_TRUE(none.to_host().empty());
}

INSTANTIATE_TEST_SUITE_P(Executors, ArrayTest, every_executor(), executor_name);

}  // namespace
}  // namespace halocline
