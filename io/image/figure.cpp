#include "io/image/figure.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "io/image/contours.hpp"
#include "io/image/image.hpp"
#include "io/image/legend.hpp"
#include "lib/base/error.hpp"
#include "lib/base/format.hpp"

namespace halocline {
namespace {

constexpr double per_mm = 72 / 25.4;
constexpr double letter = 8;                          // size of the font
constexpr double edge = 6, tick = 3, apart = 3;       // around the figure; length of ticks; between things
constexpr double bar_width = 9, bar_gap = 8;          // color bar
constexpr Rgb ink{0, 0, 0, 1}, faint{0, 0, 0, 0.13};  // texts and frames; the lines of a grid
constexpr std::size_t many_spots = 4000;              // of which vectors are drawn as an image

Index ticks_along(double length, double each) { return std::max<Index>(2, static_cast<Index>(length / each)); }
std::vector<Tick> x_ticks(const Figure& figure, double length) {
  return ticks_of(figure.x, ticks_along(length, figure.x.logarithmic ? 30 : 36));
}
std::vector<Tick> y_ticks(const PlotAxis& axis, double length) {
  return ticks_of(axis, std::max<Index>(4, ticks_along(length, 24)));
}

double widest(Canvas& canvas, const std::vector<Tick>& ticks) {
  double most = 0;
  for (const Tick& one : ticks) most = std::max(most, canvas.text_width(one.text));
  return most;
}

// The color of a value; transparent where there is none.
std::uint32_t pixel_of(const PlotAxis& color, double value) {
  if (!std::isfinite(value)) return 0;
  const double at = std::clamp(share(color, value), 0.0, 1.0);
  const auto rgb = color_of(ColorMap::viridis, static_cast<int>(std::lround(255 * (std::isfinite(at) ? at : 0))));
  return 0xFF000000U | std::uint32_t{rgb[0]} << 16 | std::uint32_t{rgb[1]} << 8 | rgb[2];
}

// Dark on light colors and light on dark ones.
Rgb against(const PlotAxis& color, double level) {
  return share(color, level) > 0.45 ? Rgb{0, 0, 0, 0.75} : Rgb{1, 1, 1, 0.75};
}

class Drawing {
 public:
  Drawing(const Figure& figure, FigureFormat format)
      : figure_(figure),
        vectors_(format != FigureFormat::png),
        layout_(layout_of(figure)),
        canvas_(format, layout_.width, layout_.height, figure.resolution) {}

  std::string finish() && {
    canvas_.font_size(letter);
    if (figure_.map) map();
    if (!figure_.map) grid();
    canvas_.clip(layout_.frame);
    for (std::size_t i = 0; i < figure_.series.size(); ++i) series(i);
    canvas_.release();
    axes();
    if (figure_.map) bar();
    draw_legend(canvas_, layout_.frame, entries_, letter);
    return canvas_.finish();
  }

 private:
  double x_of(double value) const { return layout_.frame.x + layout_.frame.width * share(figure_.x, value); }
  double y_of(double value) const { return layout_.frame.y + layout_.frame.height * (1 - share(figure_.y, value)); }
  void grid();
  void axes();
  void map();
  void bar();
  void series(std::size_t number);
  void lines_through(const std::vector<std::vector<SheetPoint>>& pieces);

  const Figure& figure_;
  bool vectors_;
  FigureLayout layout_;
  Canvas canvas_;
  std::vector<LegendEntry> entries_;
};

void Drawing::grid() {
  const SheetBox& frame = layout_.frame;
  canvas_.line_width(0.4);
  canvas_.color(faint);
  for (const Tick& one : x_ticks(figure_, frame.width))
    if (!one.text.empty())
      canvas_.line(std::vector<SheetPoint>{{x_of(one.value), frame.y}, {x_of(one.value), frame.y + frame.height}});
  for (const Tick& one : y_ticks(figure_.y, frame.height))
    if (!one.text.empty())
      canvas_.line(std::vector<SheetPoint>{{frame.x, y_of(one.value)}, {frame.x + frame.width, y_of(one.value)}});
}

void Drawing::axes() {
  const SheetBox& frame = layout_.frame;
  const double bottom = frame.y + frame.height;
  canvas_.color(ink);
  canvas_.line_width(0.6);
  canvas_.frame(frame);
  for (const Tick& one : x_ticks(figure_, frame.width)) {
    const double x = x_of(one.value), length = one.text.empty() ? tick / 2 : tick;
    canvas_.line(std::vector<SheetPoint>{{x, bottom}, {x, bottom + length}});
    canvas_.text({x, bottom + tick + apart + 0.4 * letter}, one.text, Anchor::middle);
  }
  const std::vector<Tick> along_y = y_ticks(figure_.y, frame.height);
  for (const Tick& one : along_y) {
    const double y = y_of(one.value), length = one.text.empty() ? tick / 2 : tick;
    canvas_.line(std::vector<SheetPoint>{{frame.x - length, y}, {frame.x, y}});
    canvas_.text({frame.x - tick - apart, y}, one.text, Anchor::end);
  }
  const double middle = frame.y + frame.height / 2;
  canvas_.text({frame.x + frame.width / 2, bottom + tick + 2 * apart + 1.5 * letter}, full_label(figure_.x),
               Anchor::middle);
  canvas_.text({frame.x - tick - 2 * apart - widest(canvas_, along_y) - letter / 2, middle}, full_label(figure_.y),
               Anchor::middle, true);
  canvas_.text({frame.x + frame.width / 2, frame.y - apart - letter / 2}, figure_.title, Anchor::middle);
}

void Drawing::map() {
  const FigureMap& map = *figure_.map;
  const SheetBox& frame = layout_.frame;
  std::vector<std::uint32_t> pixels;
  pixels.reserve(map.values.size());
  for (Index row = map.height - 1; row >= 0; --row)
    for (Index column = 0; column < map.width; ++column)
      pixels.push_back(pixel_of(map.color, map.values[static_cast<std::size_t>(row * map.width + column)]));
  canvas_.image(frame, map.width, map.height, pixels);
  canvas_.clip(frame);
  canvas_.line_width(0.5);
  const bool own = !map.line_values.empty();
  const std::vector<double>& values = own ? map.line_values : map.values;
  const Index width = own ? map.line_width : map.width, height = own ? map.line_height : map.height;
  for (const double level : map.levels) {
    canvas_.color(against(map.color, level));
    for (std::vector<SheetPoint> line : contours(values, width, height, level)) {
      for (SheetPoint& spot : line)
        spot = {frame.x + frame.width * (spot.x + 0.5) / static_cast<double>(width),
                frame.y + frame.height * (1 - (spot.y + 0.5) / static_cast<double>(height))};
      canvas_.line(line);
    }
  }
  canvas_.release();
}

void Drawing::bar() {
  const PlotAxis& color = figure_.map->color;
  const SheetBox& bar = layout_.bar;
  constexpr Index shades = 256;
  std::vector<std::uint32_t> pixels;
  for (Index row = shades - 1; row >= 0; --row) {
    const auto rgb = color_of(ColorMap::viridis, static_cast<int>(row));
    pixels.push_back(0xFF000000U | std::uint32_t{rgb[0]} << 16 | std::uint32_t{rgb[1]} << 8 | rgb[2]);
  }
  canvas_.image(bar, 1, shades, pixels);
  canvas_.line_width(0.5);
  const auto y = [&](double value) { return bar.y + bar.height * (1 - share(color, value)); };
  for (const double level : figure_.map->levels) {
    canvas_.color(against(color, level));
    canvas_.line(std::vector<SheetPoint>{{bar.x, y(level)}, {bar.x + bar.width, y(level)}});
  }
  canvas_.color(ink);
  canvas_.line_width(0.6);
  canvas_.frame(bar);
  const std::vector<Tick> ticks = y_ticks(color, bar.height);
  for (const Tick& one : ticks) {
    const double right = bar.x + bar.width, length = one.text.empty() ? tick / 2 : tick;
    canvas_.line(std::vector<SheetPoint>{{right, y(one.value)}, {right + length, y(one.value)}});
    canvas_.text({right + tick + apart, y(one.value)}, one.text, Anchor::begin);
  }
  canvas_.text({bar.x + bar.width + tick + 2 * apart + widest(canvas_, ticks) + letter / 2, bar.y + bar.height / 2},
               full_label(color), Anchor::middle, true);
}

void Drawing::lines_through(const std::vector<std::vector<SheetPoint>>& pieces) {
  canvas_.line_width(1.1);
  for (const std::vector<SheetPoint>& piece : pieces) canvas_.line(piece);
}

void Drawing::series(std::size_t number) {
  const FigureSeries& one = figure_.series[number];
  require(one.x.size() == one.y.size(), "figure: as many x as y");
  std::vector<std::vector<SheetPoint>> pieces(1);
  std::vector<SheetPoint> inside;
  for (std::size_t i = 0; i < one.x.size(); ++i) {
    const SheetPoint spot{x_of(one.x[i]), y_of(one.y[i])};
    if (!std::isfinite(spot.x) || !std::isfinite(spot.y)) {
      if (!pieces.back().empty()) pieces.emplace_back();
      continue;
    }
    pieces.back().push_back(spot);
    if (layout_.frame.contains(spot)) inside.push_back(spot);
  }
  const Rgb color = color_of_series(one, number);
  canvas_.color(color);
  const double dashes = dashes_of_series(one, number);
  canvas_.dashes(dashes);
  if (one.mark != Mark::points) lines_through(pieces);
  canvas_.dashes(0);
  if (one.mark != Mark::line) {
    const std::size_t count = inside.size();
    const double diameter = one.mark == Mark::both ? 3 : count <= 500 ? 2.6 : count <= 5000 ? 1.4 : 0.6;
    if (vectors_ && count > many_spots) {
      canvas_.images(layout_.frame, inside, diameter, color);
    } else {
      canvas_.dots(inside, diameter);
    }
  }
  entries_.push_back({one.label, color, one.mark, std::move(inside), dashes});
}

}  // namespace

FigureLayout layout_of(const Figure& figure) {
  Canvas canvas(FigureFormat::png, 1, 1, 72);
  canvas.font_size(letter);
  FigureLayout layout{figure.width * per_mm, figure.height * per_mm, {}, {}};
  // Ticks depend on the length of an axis and this on their width: twice is enough.
  const double most = std::max(60.0, layout.height > 0 ? layout.height : 0.62 * layout.width);
  const double left = edge + (full_label(figure.y).empty() ? 0 : letter + apart) +
                      widest(canvas, y_ticks(figure.y, most)) + tick + apart;
  double right = edge + apart + canvas.text_width(x_ticks(figure, layout.width).empty() ? "" : "00");
  if (figure.map)
    right = edge + bar_gap + bar_width + tick + apart + widest(canvas, y_ticks(figure.map->color, most)) +
            (full_label(figure.map->color).empty() ? 0 : letter + apart);
  const double top = edge + letter / 2 + (figure.title.empty() ? 0 : letter);
  const double bottom = edge + tick + apart + letter + (full_label(figure.x).empty() ? 0 : letter + apart);
  SheetBox& frame = layout.frame;
  frame = {left, top, layout.width - left - right, layout.height - top - bottom};
  const double ratio = (figure.y.high - figure.y.low) / (figure.x.high - figure.x.low);
  const bool equal = figure.equal && ratio > 0.1 && ratio < 10;
  if (layout.height <= 0) {
    // As high as wide at most.
    frame.height = equal ? std::min(frame.width * ratio, frame.width) : 0.62 * frame.width;
    layout.height = top + frame.height + bottom;
  }
  if (equal) {
    const double width = std::min(frame.width, frame.height / ratio), height = width * ratio;
    frame = {frame.x + (frame.width - width) / 2, frame.y + (frame.height - height) / 2, width, height};
  }
  layout.bar = {frame.x + frame.width + bar_gap, frame.y, bar_width, frame.height};
  if (!(frame.width >= 30 && frame.height >= 20))
    throw DeckError(formatted("a figure of {:.4g} mm x {:.4g} mm has no room for its axes", layout.width / per_mm,
                              layout.height / per_mm));
  return layout;
}

FigureFormat format_of(const std::string& path) {
  const std::string end = std::filesystem::path(path).extension().string();
  if (end == ".png") return FigureFormat::png;
  if (end == ".svg") return FigureFormat::svg;
  if (end == ".pdf") return FigureFormat::pdf;
  throw DeckError(path + ": figures are .png, .svg or .pdf");
}

std::string draw(const Figure& figure, FigureFormat format) {
  if (!(figure.width >= least_width && figure.width <= most_length) || !(figure.height <= most_length) ||
      (figure.height != 0 && !(figure.height >= least_height)))
    throw DeckError(formatted("a figure is {} mm to {} mm wide and {} mm to {} mm high", least_width, most_length,
                              least_height, most_length));
  require(figure.x.low < figure.x.high && figure.y.low < figure.y.high, "figure: an axis without length");
  return Drawing(figure, format).finish();
}

}  // namespace halocline
