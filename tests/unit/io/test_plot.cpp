// Diagrams: ticks against those one would draw by hand, points at the pixels where they belong.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "io/image/plot.hpp"
#include "io/image/plot_font.hpp"
#include "lib/base/error.hpp"

namespace halocline {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::string texts(const PlotAxis& axis) {
  std::string all;
  for (const Tick& tick : ticks_of(axis))
    if (!tick.text.empty()) all += (all.empty() ? "" : " ") + tick.text;
  return all;
}

std::uint8_t level(const Image& image, Index x, Index y) {
  return image.levels[static_cast<std::size_t>(y * image.width + x)];
}

// The pixels of a level: their number and the middle of the box around them.
struct Spot {
  Index count = 0;
  double x = 0, y = 0;
};
Spot spot(const Image& image, std::uint8_t wanted) {
  Index left = image.width, right = 0, top = image.height, bottom = 0, count = 0;
  for (Index y = 0; y < image.height; ++y) {
    for (Index x = 0; x < image.width; ++x) {
      if (level(image, x, y) != wanted) continue;
      ++count;
      left = std::min(left, x), right = std::max(right, x), top = std::min(top, y), bottom = std::max(bottom, y);
    }
  }
  return {count, 0.5 * static_cast<double>(left + right), 0.5 * static_cast<double>(top + bottom)};
}

TEST(Ticks, LinearOnesAreRound) {
  EXPECT_EQ(texts({"", false, 0, 1}), "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1");
  EXPECT_EQ(texts({"", false, -0.3, 10.3}), "0 1 2 3 4 5 6 7 8 9 10");
  EXPECT_EQ(texts({"", false, 0.02, 0.1}), "0.02 0.03 0.04 0.05 0.06 0.07 0.08 0.09 0.1");
  EXPECT_EQ(texts({"", false, -1e6, 1e6}), "-1e6 -8e5 -6e5 -4e5 -2e5 0 2e5 4e5 6e5 8e5 1e6");
}

TEST(Ticks, NumbersOnLinearAxes) {
  for (double range = 1e-5; range < 1e6; range *= 1.37) {
    const std::size_t count = ticks_of({"", false, -0.37 * range, 0.63 * range}).size();
    EXPECT_GE(count, 5u) << range;
    EXPECT_LE(count, 13u) << range;
  }
}

TEST(Ticks, LogarithmicOnesAreDecades) {
  EXPECT_EQ(texts({"", true, 2e4, 1e6}), "2e4 5e4 1e5 2e5 5e5 1e6");
  EXPECT_EQ(texts({"", true, 0.5, 2e4}), "1 10 100 1000 1e4");
  EXPECT_EQ(ticks_of({"", true, 1, 10}).size(), 10u);
}

TEST(Axis, ShowsAllFiniteValues) {
  const std::vector<double> one{1, nan, 3}, two{-INFINITY, 2, 11};
  const PlotAxis axis = axis_for("q", false, {&one, &two});
  EXPECT_NEAR(axis.low, 1 - 0.3, 1e-12);
  EXPECT_NEAR(axis.high, 11 + 0.3, 1e-12);
  const std::vector<double> mixed{-5, 0, 10, 1000};
  const PlotAxis logarithmic = axis_for("q", true, {&mixed});
  EXPECT_NEAR(logarithmic.low, 10 / std::pow(100, 0.03), 1e-9);
  const std::vector<double> none{nan, -1};
  EXPECT_THROW(axis_for("q", true, {&none}), DeckError);
  const std::vector<double> same{4, 4};
  EXPECT_LT(axis_for("q", false, {&same}).low, 4);
}

// The frame has its left edge at pixel 109 and its upper edge at 59; its lower one is 80 above the edge of the picture.
TEST(Draw, PointsLieWhereTheyBelong) {
  Plot plot{600, 400, "", {"x", false, 0, 2}, {"y", true, 1, 100}, {}};
  plot.series = {{"black", {}, {}}, {"blue", {1, 5, nan}, {10, 10, 10}}, {"red", {0, 2}, {100, 1000}}};
  const Image image = draw(plot);
  EXPECT_EQ(image.width, 600);
  EXPECT_EQ(image.levels.size(), 600u * 400u);
  Spot blue = spot(image, 1);
  EXPECT_EQ(blue.count, 100 + 16);  // the square of the legend, and one point
  plot.series.erase(plot.series.begin(), plot.series.begin() + 1);
  plot.series.resize(1);
  plot.series.insert(plot.series.begin(), PlotSeries{"", {}, {}});
  const Image again = draw(plot);
  // Without the legend's square: look inside the frame only.
  Index count = 0;
  double x = 0, y = 0;
  for (Index j = 60; j < 320; ++j)
    for (Index i = 110; i < 570; ++i)
      if (level(again, i, j) == 1) ++count, x += static_cast<double>(i), y += static_cast<double>(j);
  ASSERT_EQ(count, 16);
  EXPECT_NEAR(x / 16, 110 + 459 / 2.0, 1.5);
  EXPECT_NEAR(y / 16, 319 - 259 / 2.0, 1.5);
  EXPECT_EQ(level(again, 109, 200), 0);
  EXPECT_EQ(level(again, 300, 320), 0);
  EXPECT_EQ(level(again, 2, 2), 255);
}

TEST(Draw, RefusesTinyPictures) { EXPECT_THROW(draw({100, 100, "", {}, {}, {}}), InternalError); }

TEST(Font, HasEveryLetterOnce) {
  for (char a = '!'; a <= '~'; ++a) {
    for (char b = '!'; b < a; ++b) EXPECT_NE(glyph(a), glyph(b)) << a << b;
    bool empty = true;
    for (const std::uint8_t row : glyph(a)) {
      EXPECT_LT(row, 32);
      empty = empty && row == 0;
    }
    EXPECT_FALSE(empty) << a;
  }
  EXPECT_EQ(glyph('T'), (std::array<std::uint8_t, 7>{31, 4, 4, 4, 4, 4, 4}));
  EXPECT_EQ(glyph('\n'), glyph('\x80'));  // a frame
}

}  // namespace
}  // namespace halocline
