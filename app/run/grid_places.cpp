#include "app/run/grid_places.hpp"

#include "lib/base/format.hpp"

namespace halocline {
namespace {

// Up to rounding, which the ends of an axis have too.
bool holds(const Grid& grid, int axis, double x) {
  const double margin = 1e-12 * (grid.high(axis) - grid.low(axis));
  return x >= grid.low(axis) - margin && x <= grid.high(axis) + margin;
}

std::string extent_text(const Grid& grid, int axis) {
  return formatted("axis {} goes from {} to {}", axis_letters[axis], brief_text(grid.low(axis)),
                   brief_text(grid.high(axis)));
}

}  // namespace

std::string place_fault(const Grid& grid, std::span<const double> x) {
  for (int axis = 0; axis < 3; ++axis) {
    const auto place = static_cast<std::size_t>(axis);
    if (place >= x.size()) {
      if (!grid.missing(axis))
        return formatted("has no coordinate along {}, an axis of the grid; give {}", axis_letters[axis], place + 1);
    } else if (!holds(grid, axis, x[place])) {
      return brief_text(x[place]) + " lies outside the grid, whose " + extent_text(grid, axis);
    }
  }
  return {};
}

int normal_axis(const Grid& grid, int wanted) {
  for (int axis = 2; axis >= 0; --axis)
    if (grid.missing(axis)) return axis;  // a plane has no other picture
  return wanted;
}

std::string plane_fault(const Grid& grid, int axis, double at) {
  if (holds(grid, axis, at)) return {};
  return "the grid has no plane there; its " + extent_text(grid, axis);
}

}  // namespace halocline
