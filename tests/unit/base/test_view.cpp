// Ranges and views: extents, the order of elements, read-only views, and in debug builds the checks of bounds.
#include <gtest/gtest.h>

#include <numeric>
#include <type_traits>
#include <vector>

#include "lib/base/view.hpp"

namespace halocline {
namespace {

TEST(Range, CountsWhatLiesBetweenItsBounds) {
  const Range<2> box{{-1, 4}, {3, 9}};
  EXPECT_EQ(box.extent(0), 4);
  EXPECT_EQ(box.extent(1), 5);
  EXPECT_EQ(box.size(), 20);
  EXPECT_EQ((Range<3>{{0, 0, 0}, {2, 0, 5}}.size()), 0);
  const Range<1> reversed{{7}, {5}};
  EXPECT_EQ(reversed.extent(0), 0);
  EXPECT_EQ(reversed.size(), 0);
}

TEST(Range, EqualsByBounds) {
  EXPECT_EQ((Range<1>{{2}, {5}}), (Range<1>{{2}, {5}}));
  EXPECT_NE((Range<1>{{2}, {5}}), (Range<1>{{2}, {6}}));
  EXPECT_NE((Range<1>{{1}, {4}}), (Range<1>{{2}, {5}}));
}

TEST(View, LastIndexIsFastest) {
  std::vector<int> memory(2 * 3 * 4);
  std::iota(memory.begin(), memory.end(), 0);
  const View<int, 3> view(memory.data(), 2, 3, 4);
  EXPECT_EQ(view.size(), 24);
  for (Index i = 0; i < 2; ++i)
    for (Index j = 0; j < 3; ++j)
      for (Index k = 0; k < 4; ++k) EXPECT_EQ(view(i, j, k), (i * 3 + j) * 4 + k);
  EXPECT_EQ(view.stride[0], 12);
  EXPECT_EQ(view.stride[1], 4);
  EXPECT_EQ(view.stride[2], 1);
}

TEST(View, WritesThroughToItsMemory) {
  std::vector<double> memory(6, 0.0);
  const View<double, 2> view(memory.data(), 2, 3);
  view(1, 2) = 7;
  EXPECT_EQ(memory[5], 7);
}

TEST(View, TakesAnyStride) {
  // Column 1 of a 3 x 4 block, then its transpose.
  std::vector<int> memory(12);
  std::iota(memory.begin(), memory.end(), 0);
  View<int, 1> column(memory.data() + 1, 3);
  column.stride[0] = 4;
  EXPECT_EQ(column(2), 9);
  View<int, 2> transposed(memory.data(), 4, 3);
  transposed.stride[0] = 1;
  transposed.stride[1] = 4;
  EXPECT_EQ(transposed(3, 1), 7);
}

TEST(View, BecomesReadOnlyAndNeverTheOtherWay) {
  std::vector<double> memory{1, 2, 3, 4};
  View<double, 2> view(memory.data(), 2, 2);
  view.stride[0] = 1;
  view.stride[1] = 2;
  const View<const double, 2> reading = view;
  EXPECT_EQ(reading.data, memory.data());
  EXPECT_EQ(reading.size(), 4);
  EXPECT_EQ(reading(0, 1), 3) << "strides go along";
  static_assert(std::is_same_v<decltype(reading(0, 0)), const double&>);
  static_assert(!std::is_convertible_v<View<const double, 2>, View<double, 2>>);
  static_assert(!std::is_convertible_v<View<double, 2>, View<const float, 2>>);
}

TEST(View, IsEmptyUnlessMade) {
  const View<double, 2> view;
  EXPECT_EQ(view.data, nullptr);
  EXPECT_EQ(view.size(), 0);
}

#if !defined(NDEBUG)
TEST(ViewDeathTest, RefusesIndicesOutsideInDebugBuilds) {
  std::vector<int> memory(6);
  const View<int, 2> view(memory.data(), 2, 3);
  EXPECT_DEATH(view(2, 0) = 1, "");
  EXPECT_DEATH(view(0, 3) = 1, "") << "inside the memory, outside the row";
  EXPECT_DEATH(view(-1, 0) = 1, "");
}
#endif

}  // namespace
}  // namespace halocline
