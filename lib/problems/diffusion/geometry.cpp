#include "lib/problems/diffusion/geometry.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace halocline::diffusion {

namespace {

constexpr double same = 1e-12;  // relative difference of lengths that count as equal

// Reads 2 or 3 whole numbers into `counts`; the number of them, 0 with a fault.
int read_counts(const std::vector<double>& given, const char* path, Index (&counts)[3], Faults& faults) {
  if (given.size() != 2 && given.size() != 3) {
    faults.at(path, "has " + std::to_string(given.size()) + " numbers; expected 2 (2D) or 3 (3D)");
    return 0;
  }
  for (std::size_t axis = 0; axis < given.size(); ++axis) {
    counts[axis] = static_cast<Index>(given[axis]);
    if (given[axis] == std::floor(given[axis])) continue;
    faults.at(std::string(path) + "[" + std::to_string(axis) + "]", "must be a whole number");
    return 0;
  }
  return static_cast<int>(given.size());
}

void make_fv(const GridOptions& options, Geometry& g, Faults& faults) {
  if (!options.points.empty())
    faults.at("diffusion.grid.points", "belongs to layout hiperc; layout fv has size, cells");
  if (options.spacing.given())
    faults.at("diffusion.grid.spacing", "belongs to layout hiperc; layout fv has size, cells");
  if (options.cells.empty()) return faults.at("diffusion.grid", "lacks `cells`, which layout fv needs");
  if (options.size.empty()) return faults.at("diffusion.grid", "lacks `size`, which layout fv needs");
  const int dimensions = read_counts(options.cells, "diffusion.grid.cells", g.cells, faults);
  if (dimensions == 0) return;
  if (options.size.size() != static_cast<std::size_t>(dimensions))
    return faults.at("diffusion.grid.size", "has " + std::to_string(options.size.size()) + " numbers, cells " +
                                                std::to_string(dimensions) + "; give as many");
  g.dimensions = dimensions;
  for (int axis = 0; axis < dimensions; ++axis) {
    g.cells[axis] *= options.refinement;
    g.spacing[axis] = options.size[static_cast<std::size_t>(axis)] / static_cast<double>(g.cells[axis]);
  }
}

void make_hiperc(const GridOptions& options, int reach, Geometry& g, Faults& faults) {
  if (!options.size.empty())
    faults.at("diffusion.grid.size", "belongs to layout fv; layout hiperc has points, spacing");
  if (!options.cells.empty()) faults.at("diffusion.grid.cells", "belongs to layout fv; layout hiperc has points");
  if (options.points.empty()) return faults.at("diffusion.grid", "lacks `points`, which layout hiperc needs");
  if (!options.spacing.given()) return faults.at("diffusion.grid", "lacks `spacing`, which layout hiperc needs");
  const int dimensions = read_counts(options.points, "diffusion.grid.points", g.cells, faults);
  if (dimensions == 0) return;
  g.ring = reach;
  for (int axis = 0; axis < dimensions; ++axis) {
    g.cells[axis] = g.cells[axis] * options.refinement - 2 * reach;
    g.spacing[axis] =
        options.spacing.of(axis_names[static_cast<std::size_t>(axis)], 0) / static_cast<double>(options.refinement);
    if (g.spacing[axis] > 0) continue;
    return faults.at("diffusion.grid.spacing",
                     std::string("does not give that along ") + axis_names[static_cast<std::size_t>(axis)]);
  }
  g.dimensions = dimensions;
}

}  // namespace

bool Geometry::equal_spacing() const {
  for (int axis = 1; axis < dimensions; ++axis)
    if (std::abs(spacing[axis] - spacing[0]) > same * spacing[0]) return false;
  return true;
}

double Geometry::least_spacing() const { return *std::min_element(spacing, spacing + dimensions); }

double Geometry::volume() const {
  double product = 1;
  for (int axis = 0; axis < dimensions; ++axis) product *= spacing[axis];
  return product;
}

Grid Geometry::output_grid() const {
  Grid grid;
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<double>& nodes = grid.nodes[static_cast<std::size_t>(axis)];
    if (axis >= dimensions) {
      nodes = {0.0};
    } else if (layout == Layout::hiperc) {
      for (Index i = 0; i < cells[axis]; ++i) nodes.push_back(center(axis, i));
    } else {
      for (Index i = 0; i <= cells[axis]; ++i) nodes.push_back(origin[axis] + static_cast<double>(i) * spacing[axis]);
    }
  }
  return grid;
}

Geometry make_geometry(const GridOptions& options, int reach, Faults& faults) {
  Geometry g;
  g.dimensions = 0;
  g.layout = options.layout;
  if (g.layout == Layout::fv) {
    make_fv(options, g, faults);
  } else {
    make_hiperc(options, reach, g, faults);
  }
  if (g.dimensions == 0) return g;
  if (!options.origin.empty() && options.origin.size() != static_cast<std::size_t>(g.dimensions))
    faults.at("diffusion.grid.origin", "needs as many numbers as there are axes");
  for (int axis = 0; axis < g.dimensions; ++axis) {
    if (options.origin.size() == static_cast<std::size_t>(g.dimensions))
      g.origin[axis] = options.origin[static_cast<std::size_t>(axis)];
    if (g.cells[axis] > 2 * reach) continue;
    faults.at(g.layout == Layout::fv ? "diffusion.grid.cells" : "diffusion.grid.points",
              std::string("too few along ") + axis_names[static_cast<std::size_t>(axis)] +
                  " for the mask, which reaches " + std::to_string(reach) +
                  " to either side: " + std::to_string(2 * reach + 1) +
                  (g.layout == Layout::fv ? " cells" : " points inside the ring") + " at least");
    g.dimensions = 0;
    break;
  }
  return g;
}

}  // namespace halocline::diffusion
