// UniformGrid: equally spaced unknowns on a box in 2D or 3D: cells, points inside a ring of points, or nodes with those
// on the boundary.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "lib/base/describe.hpp"
#include "lib/base/publish.hpp"

namespace halocline {

constexpr std::array<const char*, 3> axis_names{"x", "y", "z"};
constexpr std::array<const char*, 6> side_names{"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"};

/// What unknowns are: the middles of cells; the points that a ring of further points surrounds, which are no unknowns;
/// the corners of cells.
enum class GridLayout { cells, ringed, nodes };

struct UniformGrid {
  GridLayout layout = GridLayout::cells;
  int dimensions = 2;
  Index extent[3] = {1, 1, 1};  // unknowns along x, y, z; 1 along an axis that is not there
  double spacing[3] = {0, 0, 0};
  double origin[3] = {0, 0, 0};              // of the low corner; ringed: the first point of the ring
  Index ring = 0;                            // ringed: points of the ring on either side
  bool periodic[3] = {false, false, false};  // nodes: the last node is the first again, and no unknown

  /// Coordinate of unknown number i, also outside.
  double coordinate(int axis, Index i) const {
    return origin[axis] + (static_cast<double>(i + ring) + (layout == GridLayout::cells ? 0.5 : 0.0)) * spacing[axis];
  }
  double low(int axis) const { return origin[axis]; }
  double high(int axis) const { return origin[axis] + static_cast<double>(cells(axis)) * spacing[axis]; }
  /// Intervals of `spacing` from low to high.
  Index cells(int axis) const {
    return layout == GridLayout::nodes && !periodic[axis] ? extent[axis] - 1 : extent[axis] + 2 * ring;
  }
  /// The share of a cell that unknown number i stands for along an axis: 1/2 for a node on the boundary, else 1.
  double weight(int axis, Index i) const {
    return cells(axis) < extent[axis] && (i == 0 || i == extent[axis] - 1) ? 0.5 : 1.0;
  }
  /// Makes an axis periodic; of nodes, the last one is then the first again.
  void make_periodic(int axis);
  /// The axis along which parts are cut.
  int slow_axis() const { return dimensions - 1; }
  bool equal_spacing() const;
  double least_spacing() const;
  double volume() const;  // of a cell: an area in 2D
  Index unknowns() const { return extent[0] * extent[1] * extent[2]; }
  /// "x = 1, y = 2" of an unknown, for messages.
  std::string place_text(Index x, Index y, Index z) const;
  /// What FieldSink wants: nodes of the cells (layout cells), or the points.
  Grid output_grid() const;
};

/// A box as a deck gives it, 2 or 3 numbers each; `origin` may be empty: zeros.
struct BoxNumbers {
  const std::vector<double>& size;  // lengths, > 0
  const std::vector<double>& cells;
  const std::vector<double>& origin;
  Index refinement = 1;  // factor of the cells
};
/// The same for points with their ring.
struct RingedNumbers {
  const std::vector<double>& points;  // with the ring
  const NamedNumbers& spacing;
  const std::vector<double>& origin;
  Index refinement = 1;  // factor of the points, and divisor of the spacing
};

/// A box cut into cells, whose middles (layout cells) or corners (nodes) are unknowns. Faults are reported at the keys
/// size, cells and origin below `path` ("diffusion.grid"); dimensions 0: nothing can be used.
UniformGrid grid_of_box(GridLayout layout, const BoxNumbers& given, const std::string& path, Faults& faults);

/// Layout ringed, `ring` points on either side. Faults at points, spacing and origin; dimensions 0: nothing can be
/// used.
UniformGrid grid_of_points(const RingedNumbers& given, Index ring, const std::string& path, Faults& faults);

}  // namespace halocline
