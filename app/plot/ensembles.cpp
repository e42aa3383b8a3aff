#include <algorithm>
#include <cmath>
#include <limits>

#include "app/plot/figures.hpp"
#include "lib/base/error.hpp"
#include "lib/base/format.hpp"

namespace halocline {
namespace {

constexpr const char *times_of_output = "/times/t", *time_of_trajectory = "/trajectory/t",
                     *offsets = "/trajectory/offset";
constexpr Index most_labels = 8;  // in a legend
constexpr Index raster = 700;     // pixels of a map, about

bool is_log(const TableFile& tables, const std::string& path) { return tables.text(path, "spacing") == "log"; }

std::string count_of(Index count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

// Of `halocline sweep`, whose rows are runs; else of an ensemble.
bool is_of_runs(const TableFile& tables) { return tables.contains("/columns/case"); }

std::string rows_text(const TableFile& tables, Index count) {
  return count_of(count, is_of_runs(tables) ? "case" : "system");
}

// Two swept values, each with each: rows are numbered over both, the `fast` one changes from row to row.
struct Product {
  Column slow, fast;
  Index rows = 0, columns = 0;  // values of the slow one, of the fast one
};

std::optional<Product> product_of(const TableFile& tables) {
  const std::vector<std::string> swept = tables.swept();
  if (swept.size() != 2) return std::nullopt;
  Product made{tables.read(swept[0]), tables.read(swept[1])};
  const auto repeats = [](const Column& one) { return one.rows > 1 && one.at(0) == one.at(1); };
  if (repeats(made.fast)) std::swap(made.fast, made.slow);
  while (made.columns < made.slow.rows && made.slow.at(made.columns) == made.slow.at(0)) ++made.columns;
  made.rows = made.columns > 0 ? made.slow.rows / made.columns : 0;
  if (made.columns < 2 || made.rows < 2 || made.rows * made.columns != made.slow.rows || repeats(made.fast))
    return std::nullopt;
  return made;
}

// ---- maps

// An axis of cells in whose middles the values lie, and for each pixel along it the value it shows.
struct MapSide {
  PlotAxis axis;
  std::vector<Index> shown;
};

MapSide side_of(const std::string& label, std::vector<double> values, bool logarithmic) {
  const auto measure = [&](double value) { return logarithmic ? std::log10(value) : value; };
  const auto back = [&](double value) { return logarithmic ? std::pow(10.0, value) : value; };
  std::vector<Index> order(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Index>(i);
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    return values[static_cast<std::size_t>(a)] < values[static_cast<std::size_t>(b)];
  });
  std::vector<double> borders;  // of cells, in the measure
  std::sort(values.begin(), values.end());
  for (std::size_t i = 1; i < values.size(); ++i) borders.push_back((measure(values[i - 1]) + measure(values[i])) / 2);
  borders.insert(borders.begin(), 2 * measure(values.front()) - borders.front());
  borders.push_back(2 * measure(values.back()) - borders.back());
  MapSide side{{label, logarithmic, back(borders.front()), back(borders.back())}, {}};
  const auto count = static_cast<Index>(values.size()), pixels = count * std::max<Index>(1, raster / count);
  for (Index p = 0; p < pixels; ++p) {
    const double at = borders.front() +
                      (borders.back() - borders.front()) * (static_cast<double>(p) + 0.5) / static_cast<double>(pixels);
    const auto cell = std::upper_bound(borders.begin() + 1, borders.end() - 1, at) - borders.begin() - 1;
    side.shown.push_back(order[static_cast<std::size_t>(cell)]);
  }
  return side;
}

// The first swept value to the right, the second one upwards.
NamedFigure map_figure(const TableFile& tables, const Product& product, const std::string& path,
                       const Command::Plot& wanted) {
  const Column values = tables.read(path);
  if (values.width != 1 || values.rows != product.slow.rows)
    throw DeckError(path.substr(1) + " has not one value per system; a map shows one");
  const bool first_is_slow = product.slow.path == tables.swept().front();
  const Column &right = first_is_slow ? product.slow : product.fast, &up = first_is_slow ? product.fast : product.slow;
  std::vector<double> slow, fast(product.fast.values.begin(), product.fast.values.begin() + product.columns);
  for (Index row = 0; row < product.rows; ++row) slow.push_back(product.slow.at(row * product.columns));
  MapSide x = side_of(right.label, first_is_slow ? slow : fast, wanted.log_x || is_log(tables, right.path)),
          y = side_of(up.label, first_is_slow ? fast : slow, wanted.log_y || is_log(tables, up.path));
  x.axis.words = tables.words(right.path);
  y.axis.words = tables.words(up.path);
  NamedFigure made;
  FigureMap map{static_cast<Index>(x.shown.size()), static_cast<Index>(y.shown.size())};
  for (const Index j : y.shown)
    for (const Index i : x.shown)
      map.values.push_back(values.at(first_is_slow ? i * product.columns + j : j * product.columns + i));
  map.color = axis_for(values.label, wanted.log_color, {&values.values}, 0);
  if (wanted.range.size() == 2) map.color.low = wanted.range[0], map.color.high = wanted.range[1];
  if (wanted.contours > 0) map.levels = levels_of(map.color, wanted.contours);
  made.words = words_of_colors(values.name, map) + ", " + right.name + " to the right, " + up.name + " upwards, " +
               rows_text(tables, values.rows);
  made.name = values.name;
  made.figure.x = x.axis;
  made.figure.y = y.axis;
  made.figure.map = std::move(map);
  return made;
}

// ---- points and lines

std::vector<std::string> values_at_times(const TableFile& tables) {
  std::vector<std::string> all = tables.columns_in("/times");
  std::erase(all, times_of_output);
  return all;
}

// There is nothing to see of one that is the same in all rows; the first where all are.
std::string first_that_varies(const TableFile& tables, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    const Column column = tables.read(path);
    const auto differs = [&](double value) { return std::isfinite(value) && value != column.values.front(); };
    if (std::any_of(column.values.begin(), column.values.end(), differs)) return path;
  }
  return paths.front();
}

// What is drawn when nobody says: over times the values at these, along trajectories all states, else results of each
// phase where there are any, else all results; of runs, whose findings have nothing in common, the first.
std::vector<std::string> default_results(const TableFile& tables, const std::string& x) {
  if (x == times_of_output) return values_at_times(tables);
  std::vector<std::string> all;
  if (x.starts_with("/trajectory/")) {
    all = tables.columns_in("/trajectory");
    std::erase_if(all,
                  [&](const std::string& path) { return path == offsets || path == x || path == time_of_trajectory; });
    return all;
  }
  all = tables.columns_in("/result");
  std::vector<std::string> several;
  if (all.empty()) all = tables.columns_in("/columns");
  for (const std::string& path : all)
    if (tables.extent(path).size() == 2) several.push_back(path);
  if (all.empty()) all = values_at_times(tables);
  if (all.empty()) throw DeckError(tables.path() + " has no results to draw");
  if (is_of_runs(tables)) return {first_that_varies(tables, all)};
  return several.empty() ? all : several;
}

// Values at times of output have a column per time: a line for every system.
FigureSeries over_times(const Column& x, const Column& y) {
  if (!y.path.starts_with("/times/") || y.width != x.rows)
    throw DeckError("over times/t the values at these times can be drawn, times/NAME, not " + y.path.substr(1));
  FigureSeries series{y.name, {}, {}, Mark::line};
  for (Index row = 0; row < y.rows; ++row) {
    for (Index k = 0; k < y.width; ++k) series.x.push_back(x.at(k)), series.y.push_back(y.at(row, k));
    series.x.push_back(std::numeric_limits<double>::quiet_NaN());  // the next one begins
    series.y.push_back(std::numeric_limits<double>::quiet_NaN());
  }
  return series;
}

// A line for every system that was followed.
FigureSeries along_trajectories(const TableFile& tables, const Column& x, const Column& y, Index& count) {
  if (!x.path.starts_with("/trajectory/") || !y.path.starts_with("/trajectory/"))
    throw DeckError("values of trajectories are drawn over each other, trajectory/NAME, not " +
                    (x.path.starts_with("/trajectory/") ? y : x).path.substr(1));
  const Column ends = tables.read(offsets);
  FigureSeries series{y.name, {}, {}, Mark::line};
  count = ends.rows - 1;
  for (Index way = 0; way < count; ++way) {
    for (auto row = static_cast<Index>(ends.at(way)); row < static_cast<Index>(ends.at(way + 1)); ++row)
      series.x.push_back(x.at(row)), series.y.push_back(y.at(row));
    series.x.push_back(std::numeric_limits<double>::quiet_NaN());
    series.y.push_back(std::numeric_limits<double>::quiet_NaN());
  }
  return series;
}

FigureSeries over_rows(const Column& x, const Column& y, Mark mark, const std::vector<Index>& rows) {
  FigureSeries series{y.name, {}, {}, mark};
  for (const Index row : rows)
    for (Index k = 0; k < y.width; ++k) series.x.push_back(x.at(row)), series.y.push_back(y.at(row, k));
  return series;
}

// A series for every value of the other one of two swept values, where a column is drawn over one of them.
std::vector<FigureSeries> by_other(const TableFile& tables, const Column& x, const Column& y, Mark mark) {
  const std::optional<Product> product = product_of(tables);
  std::vector<Index> rows(static_cast<std::size_t>(y.rows));
  for (Index row = 0; row < y.rows; ++row) rows[static_cast<std::size_t>(row)] = row;
  if (!product || (x.path != product->fast.path && x.path != product->slow.path)) return {over_rows(x, y, mark, rows)};
  const bool over_fast = x.path == product->fast.path;
  const Column& other = over_fast ? product->slow : product->fast;
  const Index lines = over_fast ? product->rows : product->columns,
              points = over_fast ? product->columns : product->rows;
  std::vector<FigureSeries> all;
  const std::vector<std::string> words = tables.words(other.path);
  const auto text_of = [&words](double value) {
    return value >= 0 && value < static_cast<double>(words.size()) ? words[static_cast<std::size_t>(value)]
                                                                   : brief_text(value);
  };
  for (Index line = 0; line < lines; ++line) {
    rows.clear();
    for (Index k = 0; k < points; ++k) rows.push_back(over_fast ? line * points + k : k * lines + line);
    all.push_back(over_rows(x, y, mark, rows));
    all.back().shade = static_cast<double>(line) / static_cast<double>(std::max<Index>(1, lines - 1));
    const bool ends = line == 0 || line == lines - 1;
    all.back().label = lines <= most_labels || ends ? other.name + " = " + text_of(other.at(rows.front())) : "";
  }
  return all;
}

// Takes out points that logarithmic axes have no place for, and tells how many.
std::string without_hidden_points(std::vector<FigureSeries>& all, bool log_x, bool log_y) {
  Index hidden = 0;
  for (FigureSeries& series : all)
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (!((log_x && series.x[i] <= 0) || (log_y && series.y[i] <= 0)) || std::isnan(series.y[i])) continue;
      series.x[i] = series.y[i] = std::numeric_limits<double>::quiet_NaN();
      ++hidden;
    }
  return hidden == 0 ? "" : ", without " + count_of(hidden, "point") + " that a logarithmic axis has no place for";
}

// What else was swept, so that nobody takes a projection for the whole.
std::string others_text(const TableFile& tables, const std::string& x) {
  std::string names;
  for (const std::string& path : tables.swept())
    if (path != x) names += (names.empty() ? "" : ", ") + path.substr(path.rfind('/') + 1);
  return names.empty() ? "" : ", for all values of " + names;
}

NamedFigure diagram(const TableFile& tables, const Command::Plot& wanted, const std::string& x_path,
                    const std::vector<std::string>& paths) {
  const Column x = tables.read(x_path);
  const bool along = x_path.starts_with("/trajectory/");
  if (x.width != 1) throw DeckError(x_path.substr(1) + " has several values per row; --x wants one");
  NamedFigure made;
  Figure& figure = made.figure;
  std::string names, labels;
  Index count = 0;
  for (const std::string& path : paths) {
    const Column y = tables.read(path);
    names += (names.empty() ? "" : ", ") + y.name;
    labels += (labels.empty() ? "" : ", ") + y.label;
    if (along || path.starts_with("/trajectory/")) {
      figure.series.push_back(along_trajectories(tables, x, y, count));
      continue;
    }
    count = y.rows;
    if (x_path == times_of_output && path != x_path) {
      figure.series.push_back(over_times(x, y));
      continue;
    }
    if (x.rows != y.rows) throw DeckError(x_path.substr(1) + " and " + path.substr(1) + " differ in length");
    const Mark mark = wanted.lines ? Mark::both : Mark::points;
    const std::vector<FigureSeries> some = by_other(tables, x, y, mark);
    for (FigureSeries one : some) {
      if (paths.size() > 1 && some.size() > 1) one.label = one.label.empty() ? "" : y.name + ", " + one.label;
      figure.series.push_back(std::move(one));
    }
  }
  const bool log_x = wanted.log_x || is_log(tables, x_path);
  figure.x = axis_for(x.label, log_x, {&x.values});
  figure.x.words = tables.words(x_path);
  const std::string hidden = without_hidden_points(figure.series, log_x, wanted.log_y);
  std::vector<const std::vector<double>*> ys;
  for (const FigureSeries& series : figure.series) ys.push_back(&series.y);
  if (figure.series.size() == 1) figure.series.front().label.clear();
  const bool swept = x_path.starts_with("/sweep/");
  const std::string more = swept ? others_text(tables, x_path) : "";
  figure.y = axis_for(paths.size() <= 3 ? labels : "", wanted.log_y, ys);  // the legend tells of more
  made.name = paths.front().substr(paths.front().rfind('/') + 1);
  made.words = names + " over " + x.name + more + ", " + rows_text(tables, count);
  if (along)
    made.words =
        names + " over " + x.name + ", " + (count == 1 ? "1 trajectory" : std::to_string(count) + " trajectories");
  made.words += hidden;
  if (!more.empty() && product_of(tables) == std::nullopt) figure.title = made.words;
  return made;
}

// The column that a map shows when nobody says: the first with one value per system.
std::string first_single(const TableFile& tables) {
  std::vector<std::string> singles = tables.columns_in("/result");
  std::erase_if(singles, [&](const std::string& path) { return tables.extent(path).size() != 1; });
  if (singles.empty()) return "";
  return is_of_runs(tables) ? first_that_varies(tables, singles) : singles.front();
}

NamedFigure figure_of_rows(const TableFile& tables, const Command::Plot& wanted) {
  const std::optional<Product> product = product_of(tables);
  std::vector<std::string> paths;
  for (const std::string& name : wanted.y) paths.push_back(tables.find(name));
  if (!wanted.map.empty()) {
    if (!product)
      throw DeckError(tables.path() + " has " + std::to_string(tables.swept().size()) +
                      " swept columns, not each value of two with each; a map has two");
    return map_figure(tables, *product, tables.find(wanted.map), wanted);
  }
  std::string x = wanted.x.empty() ? "" : tables.find(wanted.x);
  if (x.empty() && !paths.empty() && paths.front().starts_with("/trajectory/")) x = time_of_trajectory;
  if (x.empty() && product && paths.size() <= 1) {
    const std::string shown = paths.empty() ? first_single(tables) : paths.front();
    if (!shown.empty() && tables.extent(shown).size() == 1) return map_figure(tables, *product, shown, wanted);
  }
  if (x.empty() && tables.swept().empty()) throw DeckError(tables.path() + " has no swept column; give --x");
  if (x.empty()) x = tables.swept().front();
  if (paths.empty()) paths = default_results(tables, x);
  return diagram(tables, wanted, x, paths);
}

}  // namespace

NamedFigure ensemble_figure(const TableFile& tables, const Command::Plot& wanted) {
  NamedFigure made = figure_of_rows(tables, wanted);
  if (!is_of_runs(tables) || !wanted.y.empty() || !wanted.map.empty()) return made;
  std::string others;
  for (const std::string& path : tables.columns_in("/result")) {
    const std::string name = path.substr(path.rfind('/') + 1);
    if (name != made.name) others += (others.empty() ? "; --y draws " : ", ") + name;
  }
  made.words += others;
  return made;
}

}  // namespace halocline
