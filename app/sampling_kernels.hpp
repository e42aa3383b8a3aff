// Kernel bodies that look at published fields: pixels of a picture, extremes, sums, single values.
#pragma once

#include "lib/base/view.hpp"

namespace halocline {

// Values of one part, indexed by axes x, y, z whatever the order in memory, in global indices.
struct FieldWindow {
  View<const double, 3> values;
  int place[3];  // index of the view that counts along x, y, z
  Index lo[3];   // global index of the part's first value along x, y, z
  HALOCLINE_HD double at(Index x, Index y, Index z) const {
    Index n[3];
    n[place[0]] = x - lo[0];
    n[place[1]] = y - lo[1];
    n[place[2]] = z - lo[2];
    return values(n[0], n[1], n[2]);
  }
};

// A plane of a field: axes u (to the right) and v (upwards), at index `depth` of the third one.
struct PlaneWindow {
  FieldWindow field;
  int u, v, w;
  Index depth;
  HALOCLINE_HD double at(Index i, Index j) const {
    Index n[3];
    n[u] = i;
    n[v] = j;
    n[w] = depth;
    return field.at(n[0], n[1], n[2]);
  }
};

// Cells whose values make one pixel, along one axis of the plane.
struct PixelCells {
  Index begin, end;
};

// Sum over the cells of a pixel that the part holds, in units of 1 / `pixel_unit` of the color map: integers, so that a
// picture does not depend on the partition.
struct PixelBody {
  static constexpr double unit = 1 << 30;
  PlaneWindow plane;
  Index lo[2], hi[2];  // box of the part in cells along u and v
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
        double level = (plane.at(i, j) - low) * scale;
        level = level > 0 ? (level < 1 ? level : 1) : 0;  // NaN: the low end
        sum += static_cast<Index>(level * unit + 0.5);
      }
    }
    sums(row - first_row, column) = sum;
  }
};

// Order-free operations that pass over NaN.
struct Larger {
  HALOCLINE_HD double operator()(double a, double b) const { return b > a ? b : a; }
};
struct PlaneValue {
  PlaneWindow plane;
  double sign;
  HALOCLINE_HD double operator()(Index j, Index i) const { return sign * plane.at(i, j); }
};
struct FieldValue {
  View<const double, 3> values;
  double sign;
  HALOCLINE_HD double operator()(Index i, Index j, Index k) const { return sign * values(i, j, k); }
};

// The integral of a field over one row of the part's last index, for sum_chunks.
struct RowIntegral {
  View<const double, 3> values;
  View<const double, 1> widths[3];  // of the cells along the view's axes
  template <class Sink>
  HALOCLINE_HD void operator()(Index row, Sink& sink) const {
    const Index i = row / values.extent[1], j = row % values.extent[1];
    double sum = 0;
    for (Index k = 0; k < values.extent[2]; ++k) sum += values(i, j, k) * widths[2](k);
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
