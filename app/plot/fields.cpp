#include <algorithm>
#include <cmath>
#include <limits>

#include "app/plot/figures.hpp"
#include "app/plot/plane.hpp"
#include "lib/base/error.hpp"
#include "lib/base/format.hpp"

namespace halocline {
namespace {

constexpr double clear_enough = 4;  // variation of a field that has contours when nobody says
constexpr Index usual_contours = 8;
constexpr double mm_per_inch = 25.4;
constexpr Index most_for_contours = 320;  // values along a side: lines need no more

std::string axis_label(int axis, const std::string& unit) { return label_of(std::string(1, "xyz"[axis]), unit); }

NamedFigure line_figure(const FieldPlane& plane, const std::string& field, const Command::Plot& wanted) {
  NamedFigure made;
  FigureSeries series{"", plane.x, plane.values, Mark::line};
  if (plane.cells)
    for (std::size_t i = 0; i + 1 < plane.x.size(); ++i) series.x[i] = (plane.x[i] + plane.x[i + 1]) / 2;
  series.x.resize(plane.values.size());
  made.figure.x = axis_for(axis_label(plane.axes[0], plane.length_unit), wanted.log_x, {&series.x}, 0);
  made.figure.y = axis_for(label_of(field, plane.unit), wanted.log_y, {&series.y});
  made.figure.series.push_back(std::move(series));
  return made;
}

FigureMap map_of(const FieldPlane& plane, const std::string& field, const Command::Plot& wanted) {
  const double across = plane.x.back() - plane.x.front(), up = plane.y.back() - plane.y.front();
  const double ratio = std::clamp(up / across, 0.25, 1.5);
  const double inches = (wanted.width > 0 ? wanted.width : Figure{}.width) / mm_per_inch;
  const auto width = std::clamp<Index>(static_cast<Index>(0.8 * inches * wanted.resolution), 200, 3000);
  const auto height = static_cast<Index>(static_cast<double>(width) * ratio);
  FigureMap map{width, height, plane.raster(width, height, false)};
  map.color = axis_for(label_of(field, plane.unit), wanted.log_color, {&map.values}, 0);
  if (wanted.range.size() == 2) map.color.low = wanted.range[0], map.color.high = wanted.range[1];
  const bool clear = plane.variation() < clear_enough;
  const Index count = wanted.contours >= 0 ? wanted.contours : clear ? usual_contours : 0;
  if (count == 0) return map;
  map.levels = levels_of(map.color, count);
  map.line_width = std::min(width, most_for_contours);
  map.line_height = std::min(height, most_for_contours);
  map.line_values = plane.raster(map.line_width, map.line_height, true);
  return map;
}

}  // namespace

std::string words_of_colors(const std::string& name, const FigureMap& map) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double value : map.values)
    if (std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
  if (same_in_figures(low, high)) return name + formatted(" is {:.6g}", low);
  return name + formatted(" from {:.6g} to {:.6g}", map.color.low, map.color.high);
}

NamedFigure field_figure(const std::string& directory, const std::string& field, const Command::Plot& wanted) {
  PlaneRequest request{directory, field, wanted.time};
  if (!wanted.plane.empty()) take_plane(wanted.plane, request);
  const FieldPlane plane = read_plane(request);
  NamedFigure made;
  if (plane.dimensions == 1) {
    made = line_figure(plane, field, wanted);
  } else {
    made.figure.map = map_of(plane, field, wanted);
    made.figure.x = {axis_label(plane.axes[0], plane.length_unit), false, plane.x.front(), plane.x.back()};
    made.figure.y = {axis_label(plane.axes[1], plane.length_unit), false, plane.y.front(), plane.y.back()};
    made.figure.equal = true;
    made.words = words_of_colors(field, *made.figure.map);
  }
  if (made.words.empty()) made.words = field;
  if (plane.bicubic()) made.words += ", bicubic";
  made.name = field;
  const int across = 3 - plane.axes[0] - plane.axes[1];
  if (plane.dimensions == 3) made.words += formatted(", {} = {:.6g}", "xyz"[across], plane.place);
  made.words += formatted(", output at {:.6g}", plane.time);
  return made;
}

}  // namespace halocline
