// Figures: ticks against those one would set by hand, contours of known functions, marks at the pixels where they
// belong.
#include <gtest/gtest.h>
#include <png.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "io/image/contours.hpp"
#include "io/image/figure.hpp"
#include "lib/base/error.hpp"

namespace halocline {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::string texts(const PlotAxis& axis, Index most = 10) {
  std::string all;
  for (const Tick& tick : ticks_of(axis, most))
    if (!tick.text.empty()) all += (all.empty() ? "" : " ") + tick.text;
  for (std::size_t at = all.find("\xE2\x88\x92"); at != std::string::npos; at = all.find("\xE2\x88\x92"))
    all.replace(at, 3, "-");
  return all;
}

TEST(Ticks, LinearOnesAreRoundWithEqualDigits) {
  EXPECT_EQ(texts({"", false, 0, 1}), "0.0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1.0");
  EXPECT_EQ(texts({"", false, 0, 1}, 5), "0.0 0.2 0.4 0.6 0.8 1.0");
  EXPECT_EQ(texts({"", false, -0.3, 10.3}, 6), "0 2 4 6 8 10");        // no -0
  EXPECT_EQ(texts({"", false, -1e6, 1e6}, 4), "-1.0 -0.5 0 0.5 1.0");  // their power is in the label
  EXPECT_EQ(texts({"", false, 20.00011, 20.00039}, 3), "20.0002 20.0003");
}

TEST(Axis, LabelsHaveThePowerOfTen) {
  EXPECT_EQ(full_label({"c", false, -1e6, 1e6}), "c (10^6)");
  EXPECT_EQ(full_label({"c (mol/m^3)", false, 0, 2e21}), "c (10^21 mol/m^3)");
  EXPECT_EQ(full_label({"x (m)", false, 0, 4e-6}),
            "x (10^\xE2\x88\x92"
            "6 m)");
  EXPECT_EQ(full_label({"", false, 0, 4e6}), "10^6");
  EXPECT_EQ(full_label({"distance to (1e6, 0)", false, 0, 4e6}), "distance to (1e6, 0) (10^6)");
  EXPECT_EQ(full_label({"c", false, 0, 1000}), "c");
  EXPECT_EQ(full_label({"c", true, 1, 1e6}), "c");
}

TEST(Axis, RoundingIsNoRange) {
  const std::vector<double> values{2e9, 2e9 * (1 + 2e-16), 2e9 * (1 - 1e-15)};
  const PlotAxis axis = axis_for("mass", false, {&values});
  EXPECT_LT(axis.low, 1.5e9);
  EXPECT_GT(axis.high, 2.5e9);
}

TEST(Axis, LevelsOfManyDecadesAreTheirPowers) {
  EXPECT_EQ(levels_of({"", true, 5e-4, 20}, 8), (std::vector<double>{1e-3, 0.01, 0.1, 1, 10}));
  EXPECT_EQ(levels_of({"", false, 0, 1}, 5).size(), 4u);  // without the ends
  EXPECT_GE(levels_of({"", true, 0.3, 5}, 3).size(), 5u);
}

TEST(Ticks, NumbersOnLinearAxes) {
  for (double range = 1e-5; range < 1e6; range *= 1.37) {
    const std::size_t count = ticks_of({"", false, -0.37 * range, 0.63 * range}, 10).size();
    EXPECT_GE(count, 4u) << range;
    EXPECT_LE(count, 11u) << range;
  }
}

TEST(Ticks, LogarithmicOnesAreDecades) {
  EXPECT_EQ(texts({"", true, 0.2, 200}, 12), "0.2 0.5 1 2 5 10 20 50 100 200");
  EXPECT_EQ(texts({"", true, 0.5, 2e4}, 6), "1 10 100 1000 10^4");
  EXPECT_EQ(texts({"", true, 1e-12, 1}, 5), "10^-12 10^-9 10^-6 10^-3 1");
  EXPECT_EQ(ticks_of({"", true, 1, 10}).size(), 10u);
}

// Between neighboring numbers no step moves a tick on; ticks end all the same, and every picture has a size.
TEST(Ticks, EndWhereNumbersDo) {
  EXPECT_LE(ticks_of({"", false, 1, std::nextafter(1, 2)}, 8).size(), 20u);
  EXPECT_LE(ticks_of({"", false, -1e308, 1e308}, 8).size(), 20u);
  EXPECT_THROW(ticks_of({"", true, 0, 1}, 8), InternalError);
  EXPECT_THROW(Canvas(FigureFormat::png, 1e6, 100, 200), DeckError);
  EXPECT_THROW(Canvas(FigureFormat::png, 10000, 10000, 200), DeckError);
  EXPECT_NO_THROW(Canvas(FigureFormat::svg, 1e5, 100, 200));
}

TEST(Axis, ShowsAllFiniteValues) {
  const std::vector<double> one{1, nan, 3}, two{-INFINITY, 2, 11}, mixed{-5, 0, 10, 1000}, none{nan, -1}, same{4, 4};
  const PlotAxis axis = axis_for("q", false, {&one, &two});
  EXPECT_NEAR(axis.low, 1 - 0.3, 1e-12);
  EXPECT_NEAR(axis.high, 11 + 0.3, 1e-12);
  EXPECT_NEAR(axis_for("q", true, {&mixed}).low, 10 / std::pow(100, 0.03), 1e-9);
  EXPECT_THROW(axis_for("q", true, {&none}), DeckError);
  EXPECT_LT(axis_for("q", false, {&same}).low, 4);
  EXPECT_NEAR(share({"", true, 1, 100}, 10), 0.5, 1e-15);
}

// A circle: closed, of the right length, within the error of linear interpolation.
TEST(Contours, Circle) {
  constexpr Index n = 101;
  std::vector<double> values;
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i)
      values.push_back(std::hypot(static_cast<double>(i - 50), static_cast<double>(j - 50)));
  const auto lines = contours(values, n, n, 30.25);
  ASSERT_EQ(lines.size(), 1u);
  double length = 0;
  for (std::size_t k = 1; k < lines[0].size(); ++k) {
    length += std::hypot(lines[0][k].x - lines[0][k - 1].x, lines[0][k].y - lines[0][k - 1].y);
    EXPECT_NEAR(std::hypot(lines[0][k].x - 50, lines[0][k].y - 50), 30.25, 0.01);
  }
  EXPECT_NEAR(length, 2 * M_PI * 30.25, 0.05);
  EXPECT_EQ(lines[0].front().x, lines[0].back().x);
}

// Straight lines through all of the raster, none where a corner is missing; two through a saddle.
TEST(Contours, LinesGapsSaddles) {
  const std::vector<double> slope{0, 1, 2, 0, 1, 2, 0, 1, 2};
  const auto line = contours(slope, 3, 3, 0.25);
  ASSERT_EQ(line.size(), 1u);
  EXPECT_EQ(line[0].size(), 3u);
  for (const SheetPoint& spot : line[0]) EXPECT_EQ(spot.x, 0.25);
  const std::vector<double> gap{0, 1, 0, nan};
  EXPECT_TRUE(contours(gap, 2, 2, 0.5).empty());
  const std::vector<double> saddle{1, 0, 0, 1};
  EXPECT_EQ(contours(saddle, 2, 2, 0.4).size(), 2u);
  const auto high = contours(saddle, 2, 2, 0.6);  // the corners that are high are alone
  ASSERT_EQ(high.size(), 2u);
  EXPECT_NEAR(std::abs(high[0][0].x - high[0][1].x), 0.4, 1e-12);
}

struct Pixels {
  png_uint_32 width = 0, height = 0;
  std::vector<png_byte> bytes;  // RGB
  int at(Index x, Index y, int part) const {
    return bytes[static_cast<std::size_t>(3 * (y * static_cast<Index>(width) + x) + part)];
  }
};
Pixels decode(const std::string& file) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_memory(&image, file.data(), file.size()), 0);
  image.format = PNG_FORMAT_RGB;
  Pixels pixels{image.width, image.height, std::vector<png_byte>(PNG_IMAGE_SIZE(image))};
  EXPECT_NE(png_image_finish_read(&image, nullptr, pixels.bytes.data(), 0, nullptr), 0);
  return pixels;
}

// The middle of the pixels of a series' blue within the frame, in points.
SheetPoint middle_of_blue(const Pixels& pixels, double scale, const SheetBox& frame) {
  double x = 0, y = 0, count = 0;
  for (Index j = 0; j < static_cast<Index>(pixels.height); ++j)
    for (Index i = 0; i < static_cast<Index>(pixels.width); ++i) {
      const SheetPoint spot{(static_cast<double>(i) + 0.5) / scale, (static_cast<double>(j) + 0.5) / scale};
      if (!frame.contains(spot) || pixels.at(i, j, 0) > 60 || pixels.at(i, j, 2) < 140) continue;
      x += spot.x, y += spot.y, ++count;
    }
  return {x / count, y / count};
}

TEST(Draw, PointsLieWhereTheyBelong) {
  Figure figure;
  figure.width = 120, figure.height = 80;
  figure.x = {"x (m^2)", false, 0, 2};
  figure.y = {"y", true, 1, 100};
  figure.series = {{"", {0.1}, {90}}, {"", {0.5, 5, nan}, {10, 10, 10}}};
  const Pixels pixels = decode(draw(figure, FigureFormat::png));
  EXPECT_EQ(pixels.width, std::lround(120 / 25.4 * 200));
  EXPECT_EQ(pixels.height, std::lround(80 / 25.4 * 200));
  const FigureLayout layout = layout_of(figure);
  const SheetPoint blue = middle_of_blue(pixels, 200 / 72.0, layout.frame);
  EXPECT_NEAR(blue.x, layout.frame.x + layout.frame.width / 4, 0.3);
  EXPECT_NEAR(blue.y, layout.frame.y + layout.frame.height / 2, 0.3);
}

// Lines in all corners: the legend stands between them, and both are whole.
TEST(Draw, LegendsHideNoLine) {
  Figure figure;
  figure.width = 120, figure.height = 80;
  figure.series = {{"low", {0, 1}, {0.05, 0.05}, Mark::line}, {"high", {0, 1}, {0.95, 0.95}, Mark::line}};
  const Pixels pixels = decode(draw(figure, FigureFormat::png));
  const SheetBox frame = layout_of(figure).frame;
  EXPECT_NEAR(middle_of_blue(pixels, 200 / 72.0, frame).x, frame.x + frame.width / 2, 10);
}

// There are six colors: the lines of a seventh and a twelfth series are dashed, on the sheet and in the legend.
TEST(Draw, MoreLinesThanColorsAreDashed) {
  Figure figure;
  figure.x = {"x", false, 0, 1}, figure.y = {"y", false, 0, 1};
  const auto dashed = [&] {
    const std::string svg = draw(figure, FigureFormat::svg);
    int count = 0;
    for (std::size_t at = svg.find("stroke-dasharray"); at != std::string::npos;
         at = svg.find("stroke-dasharray", at + 1))
      ++count;
    return count;
  };
  figure.series.assign(6, {"one", {0, 1}, {0, 1}, Mark::both});
  EXPECT_EQ(dashed(), 0);
  figure.series.assign(12, {"one", {0, 1}, {0, 1}, Mark::both});
  EXPECT_EQ(dashed(), 12);
  for (FigureSeries& one : figure.series) one.shade = 0.5;
  EXPECT_EQ(dashed(), 0);
}

// A map: lower left is the low end of viridis, upper right its high end, what is no number is white.
TEST(Draw, MapsHaveTheirColorsInPlace) {
  Figure figure;
  figure.x = {"x", false, 0, 2}, figure.y = {"y", false, 0, 2};
  figure.equal = true;
  figure.map = FigureMap{2, 2, {0, 1, nan, 2}, {"u", false, 0, 2}};
  figure.map->levels = {0.5};
  const Pixels pixels = decode(draw(figure, FigureFormat::png));
  const FigureLayout layout = layout_of(figure);
  EXPECT_NEAR(layout.frame.width, layout.frame.height, 1e-9);
  const auto part = [&](double x, double y, int color) {
    return pixels.at(static_cast<Index>((layout.frame.x + x * layout.frame.width) * 200 / 72),
                     static_cast<Index>((layout.frame.y + (1 - y) * layout.frame.height) * 200 / 72), color);
  };
  EXPECT_NEAR(part(0.1, 0.1, 2), 84, 8);   // 68, 1, 84
  EXPECT_NEAR(part(0.9, 0.9, 0), 253, 8);  // 253, 231, 37
  EXPECT_EQ(part(0.1, 0.9, 1), 255);
}

TEST(Draw, FormatsAndSizes) {
  Figure figure;
  figure.x = {"x", false, 0, 1}, figure.y = {"y", false, 0, 1};
  figure.series = {{"one", {0, 1}, {0, 1}, Mark::line}, {"two", {0, 1}, {1, 0}, Mark::both}};
  const std::string svg = draw(figure, FigureFormat::svg), pdf = draw(figure, FigureFormat::pdf);
  EXPECT_NE(svg.find("<svg"), std::string::npos);
  EXPECT_NE(svg.find("425.1"), std::string::npos);  // 150 mm in points
  EXPECT_EQ(pdf.substr(0, 5), "%PDF-");
  EXPECT_EQ(pdf, draw(figure, FigureFormat::pdf));
  EXPECT_EQ(format_of("a/b.svg"), FigureFormat::svg);
  EXPECT_THROW(format_of("a/b.jpg"), DeckError);
  figure.width = 10;
  EXPECT_THROW(draw(figure, FigureFormat::png), DeckError);
  figure.width = 40, figure.height = 30;
  EXPECT_EQ(draw(figure, FigureFormat::png).substr(1, 3), "PNG");
}

// A machine without fonts: texts are drawn all the same, in the font of Cairo.
TEST(Draw, TextsWithoutFonts) {
  Canvas canvas(FigureFormat::png, 100, 20, 72);
  canvas.color({0, 0, 1, 1});
  EXPECT_GT(canvas.text_width("10^\xE2\x88\x92"
                              "4"),
            10);
  const bool minus = canvas.text_width("\xE2\x88\x92") == canvas.text_width("-");
  EXPECT_TRUE(minus || canvas.has_font());  // no empty frames in place of letters that a font lacks
  EXPECT_EQ(canvas.has_font(), std::getenv("FONTCONFIG_FILE") == nullptr);
  canvas.text({50, 10},
              "2\xC2\xB7"
              "10^\xE2\x88\x92"
              "4 m",
              Anchor::middle);
  const Pixels pixels = decode(canvas.finish());
  int inked = 0;
  for (Index j = 0; j < 20; ++j)
    for (Index i = 0; i < 100; ++i) inked += pixels.at(i, j, 0) < 150 ? 1 : 0;
  EXPECT_GT(inked, 20);
}

}  // namespace
}  // namespace halocline
