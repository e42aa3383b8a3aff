// SlabLayout: where the unknowns of a part lie in memory. A grid is cut along its slow axis, y in 2D and z in 3D, into
// slabs of rows (planes in 3D), one for each part.
#pragma once

#include "lib/base/types.hpp"

namespace halocline {

/// Rows (planes in 3D) along the slow axis, half open.
struct SlabRows {
  Index lo, hi;
};

/// Arrays are (z, y, x), x contiguous; a 2D problem has one plane. Rows (planes) of other parts lie below and above the
/// part's own, `halo` of them on either side.
struct SlabLayout {
  int dimensions = 2;
  Index extent[3] = {0, 0, 1};  // own unknowns along x, y, z
  Index pitch = 0, plane = 0;   // from row to row, from plane to plane
  Index halo = 0;               // rows (2D) or planes (3D) in memory beyond either end of the slow axis
  Index first = 0;              // global number of the first own row (plane)

  HALOCLINE_HD int slow_axis() const { return dimensions - 1; }
  HALOCLINE_HD Index slow_extent() const { return extent[dimensions - 1]; }
  HALOCLINE_HD Index slow_stride() const { return dimensions == 3 ? plane : pitch; }
  HALOCLINE_HD Index offset(Index z, Index y, Index x) const { return z * plane + y * pitch + x; }
  /// Lines along x in a row (plane) of the slow axis, and in the part.
  HALOCLINE_HD Index inner() const { return dimensions == 3 ? extent[1] : 1; }
  HALOCLINE_HD Index lines() const { return extent[1] * extent[2]; }
  /// Of the n-th line along x, counted from row (plane) `from` of the slow axis.
  HALOCLINE_HD Index y_of(Index n, Index from) const { return dimensions == 3 ? n % extent[1] : from + n; }
  HALOCLINE_HD Index z_of(Index n, Index from) const { return dimensions == 3 ? from + n / extent[1] : 0; }
  /// Where the n-th line begins.
  HALOCLINE_HD Index line(Index n, Index from = 0) const { return offset(z_of(n, from), y_of(n, from), 0); }
  /// Own rows (planes).
  HALOCLINE_HD SlabRows rows() const { return {0, slow_extent()}; }
  /// The same memory with every plane, padding included, as one line, for what asks of no neighbors: threads of a GPU
  /// then divide by no lengths, and none is idle at the end of a line.
  HALOCLINE_HD SlabLayout planes_as_lines() const {
    SlabLayout flat = *this;
    flat.extent[0] = flat.pitch = dimensions == 3 ? plane : extent[1] * pitch;
    flat.extent[1] = 1;
    return flat;
  }
  /// Own unknowns of some rows (planes).
  HALOCLINE_HD Index count(SlabRows rows) const { return (rows.hi - rows.lo) * inner() * extent[0]; }
};

}  // namespace halocline
