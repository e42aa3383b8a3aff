#include "lib/problems/ode_ensemble/tables/forcing.hpp"

#include <algorithm>
#include <cmath>

#include "lib/base/error.hpp"
#include "lib/problems/ode_ensemble/tables/csv.hpp"

namespace halocline::ode_ensemble {

namespace {

constexpr std::size_t most_points = 10000000;

// At an end: of the parabola through three points, with the sign of the first rise and at most three times that.
double end_slope(double h0, double h1, double rise0, double rise1) {
  const double slope = ((2 * h0 + h1) * rise0 - h0 * rise1) / (h0 + h1);
  if (slope * rise0 <= 0) return 0;
  return rise0 * rise1 <= 0 && std::abs(slope) > 3 * std::abs(rise0) ? 3 * rise0 : slope;
}

}  // namespace

std::vector<double> monotone_slopes(const std::vector<double>& x, const std::vector<double>& y) {
  const std::size_t last = x.size() - 1;
  std::vector<double> h, rise, slopes(x.size(), 0.0);
  for (std::size_t i = 0; i < last; ++i) {
    h.push_back(x[i + 1] - x[i]);
    rise.push_back((y[i + 1] - y[i]) / h[i]);
  }
  if (last == 1) return {rise[0], rise[0]};
  slopes[0] = end_slope(h[0], h[1], rise[0], rise[1]);
  slopes[last] = end_slope(h[last - 1], h[last - 2], rise[last - 1], rise[last - 2]);
  for (std::size_t i = 1; i < last; ++i) {
    if (!(rise[i - 1] * rise[i] > 0)) continue;
    const double before = 2 * h[i] + h[i - 1], after = h[i] + 2 * h[i - 1];
    slopes[i] = (before + after) / (before / rise[i - 1] + after / rise[i]);
  }
  return slopes;
}

TableShape add_table(const std::vector<double>& x, const std::vector<double>& y, bool cubic, bool holds,
                     std::vector<double>& numbers) {
  const std::size_t count = x.size();
  const TableShape shape{static_cast<int>(numbers.size()), static_cast<int>(count), cubic ? 1 : 0, holds ? 1 : 0};
  const auto add = [&numbers](const std::vector<double>& list) {
    numbers.insert(numbers.end(), list.begin(), list.end());
  };
  add(x);
  add(y);
  add(cubic ? monotone_slopes(x, y) : std::vector<double>(count, 0.0));
  std::size_t node = 0;
  for (std::size_t part = 0; part + 1 < count; ++part) {
    const double start = x[0] + (x[count - 1] - x[0]) * static_cast<double>(part) / static_cast<double>(count - 1);
    while (node + 2 < count && x[node + 1] <= start) ++node;
    numbers.push_back(static_cast<double>(node));
  }
  return shape;
}

Points read_points(const std::vector<NamedFormula>& file, const std::string& time, const std::string& value) {
  Points made;
  const auto fault = [&made](const char* key, const std::string& text) {
    made.key = key;
    made.fault = text;
    return made;
  };
  if (file.size() != 1) return fault("file", "must be one file");
  CsvTable table;
  try {
    table = read_csv(file.front().formula);
  } catch (const DeckError& error) {
    return fault("file", error.what());
  }
  if (table.rows.size() < 2) return fault("file", "the file has less than two rows");
  if (table.rows.size() > most_points) return fault("file", "the file has more than 10 million rows");
  for (const bool times : {true, false}) {
    const char* const key = times ? "time" : "value";
    const std::string& name = times ? time : value;
    const int column = table.column(name);
    if (column < 0) return fault(key, table.lacks(name));
    const auto c = static_cast<std::size_t>(column);
    std::vector<double>& list = times ? made.x : made.y;
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      const double number = csv_number(table.rows[row][c]);
      if (!std::isfinite(number))
        return fault(key,
                     table.place(row, c) + ": column '" + name + "' holds '" + table.rows[row][c] + "', no number");
      if (times && row > 0 && !(number > list.back()))
        return fault(key, table.place(row, c) + ": the times must increase");
      list.push_back(number);
    }
  }
  return made;
}

}  // namespace halocline::ode_ensemble
