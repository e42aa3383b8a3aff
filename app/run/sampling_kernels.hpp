// Kernel bodies that look at published fields: pixels of a picture, extremes, sums, single values.
#pragma once

#include <cmath>

#include "lib/base/view.hpp"
#include "lib/fields/slab_layout.hpp"

namespace halocline {

// What a part holds of a plane of a field: values at i steps to the right and j upwards of its first one.
struct PlaneWindow {
  const double* first;
  Index right, up;  // strides in memory
  HALOCLINE_HD double at(Index i, Index j) const { return first[i * right + j * up]; }
};

// Cells whose values make one pixel, along one axis of the plane.
struct PixelCells {
  Index begin, end;
};

// Sum over the cells of a pixel that the part holds, in units of 1 / `unit` of the color map: integers, so that a
// picture does not depend on the partition.
struct PixelBody {
  static constexpr double unit = 1 << 30;
  PlaneWindow plane;
  Index lo[2], hi[2];  // box of the part in cells to the right and upwards
  View<const PixelCells, 1> columns, rows;
  Index first_row;
  double low, scale;  // level = (value - low) * scale, 0 to 1
  View<Index, 2> sums;
  HALOCLINE_HD void operator()(Index row, Index column) const {
    const PixelCells across = columns(column), down = rows(row);
    const Index i0 = across.begin > lo[0] ? across.begin : lo[0], i1 = across.end < hi[0] ? across.end : hi[0];
    const Index j0 = down.begin > lo[1] ? down.begin : lo[1], j1 = down.end < hi[1] ? down.end : hi[1];
    Index sum = 0;
    for (Index j = j0; j < j1; ++j) {
      for (Index i = i0; i < i1; ++i) {
        double level = (plane.at(i - lo[0], j - lo[1]) - low) * scale;
        level = level > 0 ? (level < 1 ? level : 1) : 0;  // NaN: the low end
        sum += static_cast<Index>(level * unit + 0.5);
      }
    }
    sums(row - first_row, column) = sum;
  }
};

// Extremes, passing over NaN.
struct Extent {
  double low, high;
};
struct JoinExtents {
  HALOCLINE_HD Extent operator()(const Extent& a, const Extent& b) const {
    return {b.low < a.low ? b.low : a.low, b.high > a.high ? b.high : a.high};
  }
};
// Of `count` values, `step` apart: one row per call on the host, one value on a GPU.
HALOCLINE_HD inline Extent extent_of(const double* values, Index count, Index step) {
  const double first = values[0];
  double low = first == first ? first : INFINITY, high = first == first ? first : -INFINITY;
  for (Index n = 1; n < count; ++n) {
    const double value = values[n * step];
    low = value < low ? value : low;
    high = value > high ? value : high;
  }
  return {low, high};
}
struct PlaneExtent {
  PlaneWindow plane;
  Index across;
  HALOCLINE_HD Extent operator()(Index j) const { return extent_of(plane.first + j * plane.up, across, plane.right); }
  HALOCLINE_HD Extent operator()(Index j, Index i) const {
    return extent_of(plane.first + j * plane.up + i * plane.right, 1, 1);
  }
};
struct FieldExtent {
  View<const double, 3> values;
  HALOCLINE_HD Extent operator()(Index i, Index j) const {
    return extent_of(&values(i, j, 0), values.extent[2], values.stride[2]);
  }
  HALOCLINE_HD Extent operator()(Index i, Index j, Index k) const { return extent_of(&values(i, j, k), 1, 1); }
};

// The integral of a field over a piece of a row of the part's last index, for sum_chunks. Pieces begin at multiples of
// line_piece in the grid, so that sums do not depend on where rows are cut at these.
struct RowIntegral {
  View<const double, 3> values;
  View<const double, 1> widths[3];  // of the cells along the view's axes
  Index first = 0;                  // number of the first value of a row in the grid
  HALOCLINE_HD Index pieces() const {
    return (first + values.extent[2] + line_piece - 1) / line_piece - first / line_piece;
  }
  template <class Sink>
  HALOCLINE_HD void operator()(Index n, Sink& sink) const {
    const Index row = n / pieces(), i = row / values.extent[1], j = row % values.extent[1];
    const Index from = (first / line_piece + n % pieces()) * line_piece - first, to = from + line_piece;
    double sum = 0;
    for (Index k = from > 0 ? from : 0; k < to && k < values.extent[2]; ++k) sum += values(i, j, k) * widths[2](k);
    sink.add(0, sum * (widths[0](i) * widths[1](j)));
  }
};

// One value of a field.
struct Spot {
  Index slot;     // in the record
  Index cell[3];  // in the part, along the view's axes
};
struct PickSpots {
  View<const double, 3> values;
  View<const Spot, 1> spots;
  View<double, 1> picked;
  HALOCLINE_HD void operator()(Index n) const {
    const Spot spot = spots(n);
    picked(n) = values(spot.cell[0], spot.cell[1], spot.cell[2]);
  }
};

}  // namespace halocline
