#include "io/image/plot.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "io/image/plot_font.hpp"
#include "lib/base/error.hpp"
#include "lib/base/format.hpp"

namespace halocline {
namespace {

// Levels of ColorMap::drawing.
constexpr std::uint8_t ink = 0, faint = 200, paper = 255;
constexpr int colors = 6;   // levels 0 to 5
constexpr Index scale = 2;  // pixels of a font's pixel
constexpr Index advance = (glyph_width + 1) * scale;
constexpr Index left = 110, right = 30, top = 60, bottom = 80;  // margins

double measure(const PlotAxis& axis, double value) { return axis.logarithmic ? std::log10(value) : value; }

// Where a value lies on an axis, 0 to 1.
double share(const PlotAxis& axis, double value) {
  const double low = measure(axis, axis.low), high = measure(axis, axis.high);
  return (measure(axis, value) - low) / (high - low);
}

// "20000" as 2e4; moderate numbers in full.
std::string tick_text(double value) {
  const double size = std::abs(value);
  if (size == 0 || (size < 9999.5 && size > 9.99e-4)) return brief_text(value);
  const int exponent = static_cast<int>(std::floor(std::log10(size) + 1e-9));
  return formatted("{:.6g}e{}", value / std::pow(10.0, exponent), exponent);
}

std::vector<Tick> linear_ticks(const PlotAxis& axis) {
  const double range = axis.high - axis.low;
  double step = std::pow(10.0, std::floor(std::log10(range / 6)));
  for (const double factor : {2.0, 2.5, 2.0}) {
    if (range / step > 12) step *= factor;
  }
  std::vector<Tick> ticks;
  for (double n = std::ceil(axis.low / step - 1e-9); n * step <= axis.high + 1e-9 * range; ++n)
    ticks.push_back({n * step, tick_text(std::abs(n) < 0.5 ? 0 : n * step)});
  return ticks;
}

std::vector<Tick> logarithmic_ticks(const PlotAxis& axis) {
  const int first = static_cast<int>(std::floor(std::log10(axis.low))),
            last = static_cast<int>(std::floor(std::log10(axis.high)));
  std::vector<Tick> ticks;
  for (int decade = first; decade <= last; ++decade) {
    for (int digit = 1; digit < 10; ++digit) {
      const double value = digit * std::pow(10.0, decade);
      if (value < axis.low * (1 - 1e-9) || value > axis.high * (1 + 1e-9)) continue;
      const bool large = digit == 1 || (last - first < 3 && (digit == 2 || digit == 5));
      ticks.push_back({value, large ? tick_text(value) : ""});
    }
  }
  return ticks;
}

class Canvas {
 public:
  explicit Canvas(const Plot& plot) : plot_(plot) {
    image_.width = plot.width;
    image_.height = plot.height;
    image_.map = ColorMap::drawing;
    image_.levels.assign(static_cast<std::size_t>(plot.width * plot.height), paper);
  }
  Index x_of(double value) const { return left + std::llround(share(plot_.x, value) * (inner_width() - 1)); }
  Index y_of(double value) const {
    return plot_.height - bottom - 1 - std::llround(share(plot_.y, value) * (inner_height() - 1));
  }
  void dot(Index x, Index y, std::uint8_t level) {
    if (x < 0 || y < 0 || x >= image_.width || y >= image_.height) return;
    image_.levels[static_cast<std::size_t>(y * image_.width + x)] = level;
  }
  void box(Index x, Index y, Index width, Index height, std::uint8_t level) {
    for (Index j = y; j < y + height; ++j) {
      for (Index i = x; i < x + width; ++i) dot(i, j, level);
    }
  }
  // From its left (upright: its lower) end; (x, y) is the upper left corner of the first letter.
  void text(Index x, Index y, const std::string& letters, bool upright = false) {
    for (const char letter : letters) {
      const auto rows = glyph(letter);
      for (Index row = 0; row < glyph_height; ++row) {
        for (Index column = 0; column < glyph_width; ++column) {
          if ((rows[static_cast<std::size_t>(row)] >> (glyph_width - 1 - column) & 1) == 0) continue;
          if (upright) box(x + row * scale, y - (column + 1) * scale, scale, scale, ink);
          if (!upright) box(x + column * scale, y + row * scale, scale, scale, ink);
        }
      }
      (upright ? y : x) += upright ? -advance : advance;
    }
  }
  static Index length(const std::string& letters) { return static_cast<Index>(letters.size()) * advance - scale; }
  void axes();
  void labels();
  void series(const PlotSeries& one, std::uint8_t level, Index size);
  Image image() && { return std::move(image_); }

 private:
  Index inner_width() const { return plot_.width - left - right; }
  Index inner_height() const { return plot_.height - top - bottom; }
  const Plot& plot_;
  Image image_;
};

void Canvas::axes() {
  const Index low = plot_.height - bottom, high = top;
  for (const Tick& tick : ticks_of(plot_.x)) {
    const Index x = x_of(tick.value);
    if (!tick.text.empty()) box(x, high, 1, low - high, faint);
    box(x, low, 1, tick.text.empty() ? 4 : 8, ink);
    text(x - length(tick.text) / 2, low + 14, tick.text);
  }
  for (const Tick& tick : ticks_of(plot_.y)) {
    const Index y = y_of(tick.value);
    if (!tick.text.empty()) box(left, y, inner_width(), 1, faint);
    const Index size = tick.text.empty() ? 4 : 8;
    box(left - size, y, size, 1, ink);
    text(left - 14 - length(tick.text), y - glyph_height * scale / 2, tick.text);
  }
  box(left - 1, high, 1, low - high, ink);
  box(left + inner_width(), high, 1, low - high, ink);
  box(left - 1, high - 1, inner_width() + 2, 1, ink);
  box(left - 1, low, inner_width() + 2, 1, ink);
}

void Canvas::labels() {
  text(left + (inner_width() - length(plot_.x.label)) / 2, plot_.height - 30, plot_.x.label);
  text(14, top + (inner_height() + length(plot_.y.label)) / 2, plot_.y.label, true);
  text(left, 14, plot_.title);
  if (plot_.series.size() < 2) return;
  Index x = left;
  for (std::size_t i = 0; i < plot_.series.size(); ++i) {
    box(x, 38, 10, 10, static_cast<std::uint8_t>(i % colors));
    text(x + 16, 36, plot_.series[i].label);
    x += 16 + length(plot_.series[i].label) + 30;
  }
}

void Canvas::series(const PlotSeries& one, std::uint8_t level, Index size) {
  require(one.x.size() == one.y.size(), "plot: as many x as y");
  for (std::size_t i = 0; i < one.x.size(); ++i) {
    if (!std::isfinite(one.x[i]) || !std::isfinite(one.y[i])) continue;
    const bool inside =
        one.x[i] >= plot_.x.low && one.x[i] <= plot_.x.high && one.y[i] >= plot_.y.low && one.y[i] <= plot_.y.high;
    if (inside) box(x_of(one.x[i]) - (size - 1) / 2, y_of(one.y[i]) - (size - 1) / 2, size, size, level);
  }
}

}  // namespace

PlotAxis axis_for(const std::string& label, bool logarithmic, const std::vector<const std::vector<double>*>& values) {
  PlotAxis axis{label, logarithmic, std::numeric_limits<double>::infinity(), 0};
  axis.high = -axis.low;
  for (const std::vector<double>* list : values) {
    for (const double value : *list) {
      if (!std::isfinite(value) || (logarithmic && value <= 0)) continue;
      axis.low = std::min(axis.low, value);
      axis.high = std::max(axis.high, value);
    }
  }
  if (axis.low > axis.high)
    throw DeckError(label + ": there is no " + std::string(logarithmic ? "positive " : "") + "finite value to draw");
  if (logarithmic) {
    const double margin = axis.low == axis.high ? 2 : std::pow(axis.high / axis.low, 0.03);
    axis.low /= margin;
    axis.high *= margin;
  } else {
    const double margin = axis.low == axis.high ? std::max(0.5, std::abs(axis.low) / 2) : 0.03 * (axis.high - axis.low);
    axis.low -= margin;
    axis.high += margin;
  }
  return axis;
}

std::vector<Tick> ticks_of(const PlotAxis& axis) {
  return axis.logarithmic ? logarithmic_ticks(axis) : linear_ticks(axis);
}

Image draw(const Plot& plot) {
  require(plot.width >= 400 && plot.height >= 300, "plot: at least 400 x 300 pixels");
  require(plot.x.low < plot.x.high && plot.y.low < plot.y.high, "plot: an axis without length");
  Canvas canvas(plot);
  canvas.axes();
  canvas.labels();
  // Many points are small.
  std::size_t most = 0;
  for (const PlotSeries& one : plot.series) most = std::max(most, one.x.size());
  const Index size = most <= 500 ? 4 : most <= 5000 ? 2 : 1;
  for (std::size_t i = 0; i < plot.series.size(); ++i)
    canvas.series(plot.series[i], static_cast<std::uint8_t>(i % colors), size);
  return std::move(canvas).image();
}

}  // namespace halocline
