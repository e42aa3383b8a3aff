#include "app/plot.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <vector>

#include "io/files.hpp"
#include "io/h5/h5.hpp"
#include "io/image/plot.hpp"
#include "lib/base/error.hpp"
#include "lib/base/format.hpp"

namespace halocline {
namespace {

// The groups of tables that hold one row per system, in the order in which names are looked for.
constexpr const char* groups[] = {"/result", "/sweep", "/cost", "/columns", "/trajectory", "/times"};
constexpr const char* times_of_output = "/times/t";

// A column of the tables: one value per row, or several.
struct Column {
  std::string path, name;
  Index rows = 0, width = 1;
  std::vector<double> values;
};

std::vector<std::string> columns_in(const h5::File& file, const std::string& group) {
  if (!file.contains(group)) return {};
  std::vector<std::string> paths;
  for (const std::string& name : file.children(group)) paths.push_back(group + "/" + name);
  return paths;
}

std::string find(const h5::File& file, const std::string& name, const std::string& tables) {
  std::string known;
  for (const char* group : groups) {
    for (const std::string& path : columns_in(file, group)) {
      if (path == "/" + name || path == std::string(group) + "/" + name) return path;
      known += (known.empty() ? "" : ", ") + path.substr(1);
    }
  }
  throw DeckError(tables + " has no column '" + name + "'; it has " + (known.empty() ? "none" : known));
}

// Reals and whole numbers as reals.
std::vector<double> values_of(h5::File& file, const std::string& path, const h5::Extent& extent) {
  const h5::Type type = file.type(path);
  std::vector<double> values;
  h5::Target box{h5::Extent(extent.size(), 0), extent, nullptr};
  values.resize(static_cast<std::size_t>(box.size()));
  if (values.empty()) return values;
  if (type == h5::Type::float64) {
    box.values = reinterpret_cast<std::byte*>(values.data());
    file.read(path, type, extent, {&box, 1});
  } else if (type == h5::Type::int64) {
    std::vector<Index> whole(values.size());
    box.values = reinterpret_cast<std::byte*>(whole.data());
    file.read(path, type, extent, {&box, 1});
    std::transform(whole.begin(), whole.end(), values.begin(), [](Index one) { return static_cast<double>(one); });
  } else {
    throw DeckError(path.substr(1) + " holds no numbers");
  }
  return values;
}

Column read_column(h5::File& file, const std::string& path) {
  const h5::Extent extent = file.extent(path);
  if (extent.empty() || extent.size() > 2) throw DeckError(path.substr(1) + " has neither one axis nor two");
  Column column{path, path.substr(path.rfind('/') + 1), extent[0], extent.size() == 2 ? extent[1] : 1, {}};
  column.values = values_of(file, path, extent);
  return column;
}

std::vector<std::string> values_at_times(const h5::File& file) {
  std::vector<std::string> all = columns_in(file, "/times");
  std::erase(all, times_of_output);
  return all;
}

// What is drawn when nobody says: over times the values at these; results of each phase where there are any, else all
// results.
std::vector<std::string> default_results(const h5::File& file, const std::string& x, const std::string& tables) {
  if (x == times_of_output) return values_at_times(file);
  std::vector<std::string> all = columns_in(file, "/result"), several;
  if (all.empty()) all = columns_in(file, "/columns");
  for (const std::string& path : all)
    if (file.extent(path).size() == 2) several.push_back(path);
  if (all.empty()) all = values_at_times(file);
  if (all.empty()) throw DeckError(tables + " has no results to draw");
  return several.empty() ? all : several;
}

// Values at times of output have a column per time: a row over the times is the way of a system.
PlotSeries series_over_times(const Column& x, const Column& y) {
  PlotSeries series{y.name, {}, y.values};
  series.x.reserve(y.values.size());
  for (Index row = 0; row < y.rows; ++row) series.x.insert(series.x.end(), x.values.begin(), x.values.end());
  return series;
}

PlotSeries series_of(const Column& x, const Column& y) {
  if (x.path == times_of_output && y.path != x.path) {
    if (!y.path.starts_with("/times/"))
      throw DeckError("over times/t the values at these times can be drawn, times/NAME, not " + y.path.substr(1));
    return series_over_times(x, y);
  }
  if (x.width != 1) throw DeckError(x.path.substr(1) + " has several values per row; --x wants one");
  if (x.rows != y.rows) throw DeckError(x.path.substr(1) + " and " + y.path.substr(1) + " differ in length");
  PlotSeries series{y.name, {}, y.values};
  series.x.reserve(y.values.size());
  for (const double value : x.values) series.x.insert(series.x.end(), static_cast<std::size_t>(y.width), value);
  return series;
}

bool spaced_by_logarithm(const h5::File& file, const std::string& path) {
  return file.has_attribute(path, "spacing") && file.text_attribute(path, "spacing") == "log";
}

std::string label_of(const h5::File& file, const Column& column) {
  const std::string unit = file.has_attribute(column.path, "unit") ? file.text_attribute(column.path, "unit") : "1";
  return unit == "1" || unit.empty() ? column.name : column.name + " (" + unit + ")";
}

Plot plot_of(h5::File& file, const std::string& tables, const Command::Plot& wanted) {
  const std::vector<std::string> swept = columns_in(file, "/sweep");
  if (wanted.x.empty() && swept.empty()) throw DeckError(tables + " has no swept column; give --x");
  const Column x = read_column(file, wanted.x.empty() ? swept.front() : find(file, wanted.x, tables));
  std::vector<std::string> paths;
  for (const std::string& name : wanted.y) paths.push_back(find(file, name, tables));
  if (paths.empty()) paths = default_results(file, x.path, tables);
  Plot plot;
  std::string names;
  Index systems = 0;
  for (const std::string& path : paths) {
    const Column y = read_column(file, path);
    systems = y.rows;
    plot.series.push_back(series_of(x, y));
    names += (names.empty() ? "" : ", ") + (paths.size() == 1 ? label_of(file, y) : y.name);
  }
  std::vector<const std::vector<double>*> ys;
  for (const PlotSeries& series : plot.series) ys.push_back(&series.y);
  plot.x = axis_for(label_of(file, x), wanted.log_x || spaced_by_logarithm(file, x.path), {&x.values});
  plot.y = axis_for(names, wanted.log_y, ys);
  plot.title = names + " over " + x.name + ", " + std::to_string(systems) + " systems";
  return plot;
}

// Rows are numbered over two swept values, of which one changes from row to row.
struct MapShape {
  Column fast, slow;
  Index columns = 0, rows = 0;
};

MapShape map_shape(h5::File& file, const std::string& tables) {
  const std::vector<std::string> swept = columns_in(file, "/sweep");
  if (swept.size() != 2)
    throw DeckError(tables + " has " + std::to_string(swept.size()) + " swept columns; a map has two");
  MapShape map{read_column(file, swept[0]), read_column(file, swept[1])};
  const auto repeats = [](const Column& one) { return one.rows > 1 && one.values[0] == one.values[1]; };
  if (repeats(map.fast)) std::swap(map.fast, map.slow);
  while (map.columns < map.slow.rows && map.slow.values[static_cast<std::size_t>(map.columns)] == map.slow.values[0])
    ++map.columns;
  map.rows = map.columns > 0 ? map.slow.rows / map.columns : 0;
  if (map.columns < 2 || map.rows < 2 || map.rows * map.columns != map.slow.rows || repeats(map.fast))
    throw DeckError(tables + " has no rows for all combinations of two swept values");
  return map;
}

// The fast value to the right, the slow one upwards; what is no number is black, the lowest color.
std::string draw_map(h5::File& file, const std::string& tables, const std::string& name, Image& image) {
  const MapShape map = map_shape(file, tables);
  const Column values = read_column(file, find(file, name, tables));
  if (values.width != 1) throw DeckError(values.path.substr(1) + " has several values per row; a map shows one");
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double value : values.values)
    if (std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
  if (!(low <= high)) throw DeckError(values.path.substr(1) + " has no finite values");
  constexpr Index wanted = 800;  // pixels
  const Index scale = std::max<Index>(1, wanted / std::max(map.columns, map.rows));
  image = {map.columns * scale, map.rows * scale, {}, ColorMap::viridis};
  const double range = high > low ? high - low : 1;
  for (Index y = 0; y < image.height; ++y)
    for (Index x = 0; x < image.width; ++x) {
      const Index row = map.rows - 1 - y / scale;
      const double value = values.values[static_cast<std::size_t>(row * map.columns + x / scale)];
      const double level = std::isfinite(value) ? 1 + 254 * (value - low) / range : 0;
      image.levels.push_back(static_cast<std::uint8_t>(std::lround(level)));
    }
  return values.name + formatted(" from {:.6g} to {:.6g}, ", low, high) + map.fast.name + " to the right, " +
         map.slow.name + " upwards";
}

}  // namespace

std::string plot_tables(const Command::Plot& wanted) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const std::string tables = fs::is_directory(wanted.file, ignored) ? wanted.file + "/tables.h5" : wanted.file;
  if (!fs::exists(tables, ignored)) throw DeckError("there is no file " + tables);
  h5::File file(tables, h5::File::Mode::read);
  Image image;
  std::string words;
  if (wanted.map.empty()) {
    image = draw(plot_of(file, tables, wanted));
  } else {
    words = ": " + draw_map(file, tables, wanted.map, image);
  }
  const std::string output =
      wanted.output.empty() ? fs::path(tables).replace_extension(".png").string() : wanted.output;
  replace_file(output, encode_png(image));
  return output + words;
}

}  // namespace halocline
