// SlabLayout: where the unknowns of a part lie in memory. A grid is cut along its slow axis, y in 2D and z in 3D, into
// slabs of rows (planes in 3D), one for each part. Slabs may be cut into boxes, in 3D along y and in 2D along x; lines
// along x then end at whole pieces, which are the chunks of exact sums.
#pragma once

#include "lib/base/types.hpp"

namespace halocline {

/// Unknowns of a line along x that exact sums take together, counted from the low end of the grid.
constexpr Index line_piece = 32;

/// Rows (planes in 3D) along the slow axis, half open.
struct SlabRows {
  Index lo, hi;
};
/// The same, the rows along y of every plane in 3D, and columns.
struct SlabBox {
  SlabRows rows, along_y, along_x;
};

/// Arrays are (z, y, x), x contiguous; a 2D problem has one plane. Rows (planes) of other parts lie below and above the
/// part's own, `halo` of them on either side, and where slabs are cut along y `rim` rows on either side of those of
/// every plane, where they are cut along x `fringe` columns on either side of every row.
struct SlabLayout {
  int dimensions = 2;
  Index extent[3] = {0, 0, 1};  // own unknowns along x, y, z
  Index pitch = 0, plane = 0;   // from row to row, from plane to plane
  Index halo = 0;               // rows (2D) or planes (3D) in memory beyond either end of the slow axis
  Index first = 0;              // global number of the first own row (plane)
  Index rim = 0;                // rows in memory beyond either end of y, 3D; 0: y is not cut
  Index first_row = 0;          // global number of the first own row along y, 3D
  Index fringe = 0;             // columns in memory beyond either end of x, 2D; 0: x is not cut
  Index first_column = 0;       // global number of the first own column, 2D

  HALOCLINE_HD int slow_axis() const { return dimensions - 1; }
  HALOCLINE_HD Index slow_extent() const { return extent[dimensions - 1]; }
  HALOCLINE_HD Index slow_stride() const { return dimensions == 3 ? plane : pitch; }
  HALOCLINE_HD Index offset(Index z, Index y, Index x) const { return z * plane + y * pitch + x; }
  /// Ghosts in memory along an axis beyond either end, and the global number of the first own unknown along it.
  HALOCLINE_HD Index ghosts(int axis) const {
    return axis == slow_axis() ? halo : axis == 1 ? rim : axis == 0 ? fringe : 0;
  }
  HALOCLINE_HD Index first_along(int axis) const {
    return axis == slow_axis() ? first : axis == 1 ? first_row : axis == 0 ? first_column : 0;
  }
  /// Values in memory, ghosts included, and how many of them lie before unknown (0, 0, 0).
  HALOCLINE_HD Index values() const { return (slow_extent() + 2 * halo) * slow_stride(); }
  HALOCLINE_HD Index origin() const { return halo * slow_stride() + rim * pitch + fringe; }
  /// Lines along x in a row (plane) of the slow axis, and in the part.
  HALOCLINE_HD Index inner() const { return dimensions == 3 ? extent[1] : 1; }
  HALOCLINE_HD Index lines() const { return extent[1] * extent[2]; }
  /// Of the n-th line along x, counted from row (plane) `from` of the slow axis.
  HALOCLINE_HD Index y_of(Index n, Index from) const { return dimensions == 3 ? n % extent[1] : from + n; }
  HALOCLINE_HD Index z_of(Index n, Index from) const { return dimensions == 3 ? from + n / extent[1] : 0; }
  /// Where the n-th line begins.
  HALOCLINE_HD Index line(Index n, Index from = 0) const { return offset(z_of(n, from), y_of(n, from), 0); }
  /// Its number among the lines of a grid of `rows` rows along y.
  HALOCLINE_HD Index global_line(Index n, Index rows) const {
    return dimensions == 3 ? (first + n / extent[1]) * rows + first_row + n % extent[1] : first + n;
  }
  /// Pieces of a line, and how many unknowns lie in piece `n`.
  HALOCLINE_HD Index pieces() const { return (extent[0] + line_piece - 1) / line_piece; }
  HALOCLINE_HD Index piece_size(Index n) const {
    const Index left = extent[0] - n * line_piece;
    return left < line_piece ? left : line_piece;
  }
  /// Own rows (planes).
  HALOCLINE_HD SlabRows rows() const { return {0, slow_extent()}; }
  /// The same memory with every plane, padding included, as one line, for what asks of no neighbors: threads of a GPU
  /// then divide by no lengths, and none is idle at the end of a line. Of slabs alone.
  HALOCLINE_HD SlabLayout planes_as_lines() const {
    SlabLayout flat = *this;
    flat.extent[0] = flat.pitch = dimensions == 3 ? plane : extent[1] * pitch;
    flat.extent[1] = 1;
    return flat;
  }
  HALOCLINE_HD SlabBox box(SlabRows some) const { return {some, {0, dimensions == 3 ? extent[1] : 1}, {0, extent[0]}}; }
  /// Own unknowns of some rows (planes).
  HALOCLINE_HD Index count(SlabRows rows) const { return (rows.hi - rows.lo) * inner() * extent[0]; }
};

}  // namespace halocline
