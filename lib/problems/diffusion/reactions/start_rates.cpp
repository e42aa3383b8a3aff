#include "lib/problems/diffusion/reactions/start_rates.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "lib/base/format.hpp"

namespace halocline::diffusion {

namespace {

constexpr Index most_samples_2d = 1024, most_samples_3d = 100;  // along an axis

// Calls line(x, y, z, cells) with the coordinates of cells along x, and the numbers of the first one along y and z.
template <class Line>
void for_lines(const UniformGrid& g, const Line& line) {
  const Index most = g.dimensions == 3 ? most_samples_3d : most_samples_2d;
  Index count[3];
  for (int axis = 0; axis < 3; ++axis) count[axis] = std::min(g.extent[axis], most);
  const auto place = [&](int axis, Index n) { return n * g.extent[axis] / count[axis]; };
  std::vector<double> x;
  std::vector<Index> cells;
  for (Index i = 0; i < count[0]; ++i) {
    cells.push_back(place(0, i));
    x.push_back(g.coordinate(0, cells.back()));
  }
  for (Index k = 0; k < count[2]; ++k)
    for (Index j = 0; j < count[1]; ++j) line(x, place(1, j), place(2, k), cells);
}

double coordinate(const UniformGrid& g, int axis, Index n) { return axis < g.dimensions ? g.coordinate(axis, n) : 0; }

constexpr double zero = 0;
constexpr std::span<const double> none{&zero, 1};

// The largest good value so far; the first bad one is told.
struct Largest {
  const std::function<void(const std::string& place, double value)>& tell_bad;
  double value = 0;
  bool told = false;
  template <class Place>
  void note(double next, const Place& place) {
    const bool good = next >= 0 && std::isfinite(next);
    if (good) value = std::max(value, next);
    if (!good && !told) tell_bad(place(), next), told = true;
  }
};

}  // namespace

double largest_at_start(const UniformGrid& g, const Program& program,
                        const std::function<void(const std::string& place, double value)>& tell_bad) {
  Largest largest{tell_bad};
  std::vector<double> values;
  for_lines(g, [&](const std::vector<double>& x, Index j, Index k, const std::vector<Index>& cells) {
    const double y = coordinate(g, 1, j), z = coordinate(g, 2, k);
    values.resize(x.size());
    const std::span<const double> at[5] = {x, {&y, 1}, {&z, 1}, none, none};
    const std::span<double> results[1] = {values};
    evaluate(program, at, results);
    for (std::size_t i = 0; i < values.size(); ++i)
      largest.note(values[i], [&] { return g.place_text(cells[i], j, k); });
  });
  return largest.value;
}

double largest_on_walls(const UniformGrid& g, const Walls& walls, const Program& program,
                        const std::function<void(const std::string& place, double value)>& tell_bad) {
  Largest largest{tell_bad};
  for (int side = 0; side < 2 * g.dimensions; ++side) {
    const int axis = side / 2;
    const SideAxes axes = axes_of_side(axis);
    const Side& given = walls.side(axis, side % 2);
    if (given.periodic || given.segments.empty()) continue;
    const Index lines = g.extent[axes.slow], step = (lines + most_samples_3d - 1) / most_samples_3d;
    for (Index slow = 0; slow < lines; slow += step) {
      const Walls::Positions line = walls.positions(axis, side % 2, {slow, slow + 1, 0, g.extent[axes.fast]});
      std::vector<double> values(line.piece.size());
      const std::span<const double> at[5] = {line.at[0], line.at[1], line.at[2], none, none};
      const std::span<double> results[1] = {values};
      evaluate(program, at, results);
      for (std::size_t n = 0; n < values.size(); ++n)
        if (D_counts(given.segments[line.piece[n]].kind))
          largest.note(values[n], [&] {
            std::string place = std::string("wall ") + side_names[static_cast<std::size_t>(side)];
            for (int a = 0; a < g.dimensions; ++a)
              place += std::string(", ") + axis_names[static_cast<std::size_t>(a)] + " = " + brief_text(line.at[a][n]);
            return place;
          });
    }
  }
  return largest.value;
}

ReactionRates rates_at_start(const UniformGrid& g, std::span<const Program* const> initial, const Program& entries) {
  ReactionRates rates{};
  const auto results = static_cast<std::size_t>(entries.result_count());
  std::vector<std::vector<double>> fields(initial.size()), values(results);
  for_lines(g, [&](const std::vector<double>& x, Index j, Index k, const std::vector<Index>&) {
    const double y = coordinate(g, 1, j), z = coordinate(g, 2, k);
    std::vector<std::span<const double>> at{x, {&y, 1}, {&z, 1}, none};
    for (std::size_t f = 0; f < initial.size(); ++f) {
      fields[f].resize(x.size());
      const std::span<const double> start[5] = {x, at[1], at[2], none, none};
      const std::span<double> result[1] = {fields[f]};
      evaluate(*initial[f], start, result);
      at.emplace_back(fields[f]);
    }
    std::vector<std::span<double>> to;
    for (std::vector<double>& one : values) one.resize(x.size()), to.emplace_back(one);
    evaluate(entries, at, to);
    for (std::size_t n = 0; n < results; ++n)
      for (const double value : values[n])
        if (std::isfinite(value)) rates[n] = std::max(rates[n], value);
  });
  return rates;
}

}  // namespace halocline::diffusion
