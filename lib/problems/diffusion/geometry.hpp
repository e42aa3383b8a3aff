// Geometry: the uniform grid of a problem. Unknowns are cells (layout fv) or points without the ring of ghosts (layout
// hiperc); both are called cells here.
#pragma once

#include <vector>

#include "lib/base/describe.hpp"
#include "lib/base/publish.hpp"
#include "lib/problems/diffusion/options.hpp"

namespace halocline::diffusion {

struct Geometry {
  Layout layout = Layout::fv;
  int dimensions = 2;
  Index cells[3] = {1, 1, 1};  // unknowns along x, y, z
  double spacing[3] = {0, 0, 0};
  double origin[3] = {0, 0, 0};  // of the low corner; fv: the wall; hiperc: the first point of the ring
  Index ring = 0;                // hiperc: points of the ring on either side

  // Coordinate of cell number i, also outside.
  double center(int axis, Index i) const {
    return origin[axis] + (static_cast<double>(i + ring) + (layout == Layout::fv ? 0.5 : 0.0)) * spacing[axis];
  }
  double low(int axis) const { return origin[axis]; }
  double high(int axis) const { return origin[axis] + static_cast<double>(cells[axis] + 2 * ring) * spacing[axis]; }
  int slow_axis() const { return dimensions - 1; }
  bool equal_spacing() const;
  double least_spacing() const;
  double volume() const;  // of a cell: an area in 2D
  Index unknowns() const { return cells[0] * cells[1] * cells[2]; }
  // What FieldSink wants: nodes of the cells (fv), or the points.
  Grid output_grid() const;
};

// `reach`: radius of the mask. Reports faults and goes on with what can be used; dimensions 0: nothing can.
Geometry make_geometry(const GridOptions& options, int reach, Faults& faults);

}  // namespace halocline::diffusion
