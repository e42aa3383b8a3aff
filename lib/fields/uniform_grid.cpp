#include "lib/fields/uniform_grid.hpp"

#include <algorithm>
#include <cmath>

#include "lib/base/format.hpp"

namespace halocline {

namespace {

constexpr double same = 1e-12;         // relative difference of lengths that count as equal
constexpr double least_share = 1e-13;  // of coordinates: points closer than that are a few bits of them apart

// Reads 2 or 3 whole numbers into `counts`; the number of them, 0 with a fault.
int read_counts(const std::vector<double>& given, const std::string& path, Index (&counts)[3], Faults& faults) {
  if (given.size() != 2 && given.size() != 3) {
    faults.at(path, "has " + std::to_string(given.size()) + " numbers; expected 2 (2D) or 3 (3D)");
    return 0;
  }
  for (std::size_t axis = 0; axis < given.size(); ++axis) {
    counts[axis] = static_cast<Index>(given[axis]);
    if (given[axis] == std::floor(given[axis])) continue;
    faults.at(path + "[" + std::to_string(axis) + "]", "must be a whole number");
    return 0;
  }
  return static_cast<int>(given.size());
}

void set_origin(const std::vector<double>& given, UniformGrid& grid, const std::string& path, Faults& faults) {
  if (given.empty()) return;
  if (given.size() != static_cast<std::size_t>(grid.dimensions))
    return faults.at(path + ".origin", "needs as many numbers as there are axes");
  std::copy(given.begin(), given.end(), grid.origin);
}

// Points whose coordinates differ, and distances whose squares are numbers.
void check_spacing(const UniformGrid& grid, const std::string& path, const std::string& key, Faults& faults) {
  for (int axis = 0; axis < grid.dimensions; ++axis) {
    const double h = grid.spacing[axis], far = std::max(std::abs(grid.origin[axis]), std::abs(grid.high(axis)));
    const std::string text = "the distance of points along " + std::string(axis_names[static_cast<std::size_t>(axis)]) +
                             " is " + brief_text(h);
    if (!std::isnormal(h * h) || !std::isnormal(1 / (h * h)))
      faults.at(path + key, text + ", whose square is no number");
    else if (h < least_share * far)
      faults.at(path + ".origin", text + ", too little for coordinates of " + brief_text(far));
  }
}

}  // namespace

void UniformGrid::make_periodic(int axis) {
  if (layout == GridLayout::nodes && !periodic[axis]) --extent[axis];
  periodic[axis] = true;
}

bool UniformGrid::equal_spacing() const {
  for (int axis = 1; axis < dimensions; ++axis)
    if (std::abs(spacing[axis] - spacing[0]) > same * spacing[0]) return false;
  return true;
}

double UniformGrid::least_spacing() const { return *std::min_element(spacing, spacing + dimensions); }

double UniformGrid::volume() const {
  double product = 1;
  for (int axis = 0; axis < dimensions; ++axis) product *= spacing[axis];
  return product;
}

std::string UniformGrid::place_text(Index x, Index y, Index z) const {
  const Index at[3] = {x, y, z};
  std::string text;
  for (int axis = 0; axis < dimensions; ++axis)
    text += (axis == 0 ? "" : ", ") + std::string(axis_names[static_cast<std::size_t>(axis)]) + " = " +
            brief_text(coordinate(axis, at[axis]));
  return text;
}

Grid UniformGrid::output_grid() const {
  Grid grid;
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<double>& nodes = grid.nodes[static_cast<std::size_t>(axis)];
    if (axis >= dimensions) {
      nodes = {0.0};
    } else if (layout == GridLayout::cells) {
      for (Index i = 0; i <= extent[axis]; ++i) nodes.push_back(origin[axis] + static_cast<double>(i) * spacing[axis]);
    } else {
      for (Index i = 0; i < extent[axis]; ++i) nodes.push_back(coordinate(axis, i));
    }
    if (periodic[axis]) grid.period[static_cast<std::size_t>(axis)] = high(axis) - low(axis);
  }
  return grid;
}

UniformGrid grid_of_box(GridLayout layout, const BoxNumbers& given, const std::string& path, Faults& faults) {
  UniformGrid grid;
  grid.layout = layout;
  grid.dimensions = 0;
  const int dimensions = read_counts(given.cells, path + ".cells", grid.extent, faults);
  if (dimensions == 0) return grid;
  if (given.size.size() != static_cast<std::size_t>(dimensions)) {
    faults.at(path + ".size", "has " + std::to_string(given.size.size()) + " numbers, cells " +
                                  std::to_string(dimensions) + "; give as many");
    return grid;
  }
  grid.dimensions = dimensions;
  for (int axis = 0; axis < dimensions; ++axis) {
    grid.extent[axis] *= given.refinement;
    grid.spacing[axis] = given.size[static_cast<std::size_t>(axis)] / static_cast<double>(grid.extent[axis]);
    if (layout == GridLayout::nodes) ++grid.extent[axis];
  }
  set_origin(given.origin, grid, path, faults);
  check_spacing(grid, path, ".size", faults);
  return grid;
}

UniformGrid grid_of_points(const RingedNumbers& given, Index ring, const std::string& path, Faults& faults) {
  UniformGrid grid;
  grid.layout = GridLayout::ringed;
  grid.dimensions = 0;
  const int dimensions = read_counts(given.points, path + ".points", grid.extent, faults);
  if (dimensions == 0) return grid;
  grid.ring = ring;
  for (int axis = 0; axis < dimensions; ++axis) {
    const char* const name = axis_names[static_cast<std::size_t>(axis)];
    grid.extent[axis] = grid.extent[axis] * given.refinement - 2 * ring;
    grid.spacing[axis] = given.spacing.of(name, 0) / static_cast<double>(given.refinement);
    if (grid.spacing[axis] > 0) continue;
    faults.at(path + ".spacing", std::string("does not give that along ") + name);
    return grid;
  }
  grid.dimensions = dimensions;
  set_origin(given.origin, grid, path, faults);
  check_spacing(grid, path, ".spacing", faults);
  return grid;
}

}  // namespace halocline
