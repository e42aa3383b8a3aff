// Bodies for gpu/launch.hpp: sums and extremes of a field in slabs, line by line along x on the host and unknown by
// unknown on a GPU.
#pragma once

#include "lib/base/types.hpp"
#include "lib/fields/slab_layout.hpp"

namespace halocline {

/// Joins the eight running sums of a line pairwise.
HALOCLINE_HD inline double joined(const double (&s)[8]) {
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

/// Sum of a piece of a line in a fixed order, [line][piece]. Pieces are the chunks of exact sums.
template <class T>
struct SumPiece {
  SlabLayout slab;
  const T* c;
  template <class Sink>
  HALOCLINE_HD void operator()(Index chunk, Sink& sink) const {
    const Index n = chunk / slab.pieces(), piece = chunk % slab.pieces();
    const T* line = c + slab.line(n) + piece * line_piece;
    double s[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    const Index count = slab.piece_size(piece), whole = count / 8 * 8;
    for (Index x = 0; x < whole; x += 8)
      for (int k = 0; k < 8; ++k) s[k] += static_cast<double>(line[x + k]);
    for (Index x = whole; x < count; ++x) s[x - whole] += static_cast<double>(line[x]);
    sink.add(0, joined(s));
  }
};

/// Sum of a whole line of weight * factor * c, of grids whose lines are not cut. Weights are powers of two, so that
/// they round nothing.
template <class T>
struct SumWeightedLine {
  SlabLayout slab;
  const T* c;
  const double* factor;  // laid out as the slab; null: 1
  double ends[3][2];     // weights of the first and the last unknown of the grid along x, y, z
  Index all[3];          // unknowns of the grid along x, y, z
  template <class Sink>
  HALOCLINE_HD void operator()(Index n, Sink& sink) const {
    const Index from = slab.line(n), count = slab.extent[0];
    double s[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    for (Index x = 0; x < count; ++x) {
      const double value = static_cast<double>(c[from + x]) * (factor == nullptr ? 1.0 : factor[from + x]);
      s[x % 8] += weight(0, x) * value;
    }
    const Index y = slab.y_of(n, 0), z = slab.z_of(n, 0);
    const bool deep = slab.dimensions == 3;
    const double wy = weight(1, slab.first_along(1) + y);
    sink.add(0, joined(s) * (wy * (deep ? weight(2, slab.first + z) : 1.0)));
  }

 private:
  HALOCLINE_HD double weight(int axis, Index i) const {
    return i == 0 ? ends[axis][0] : i == all[axis] - 1 ? ends[axis][1] : 1.0;
  }
};

/// NaN and infinities count as bad.
struct Extremes {
  double low, high;
  Index first_bad;  // line * extent of x + x of the first unknown that is not finite; `none` if all are
  static constexpr Index none = INT64_MAX;
};
struct JoinExtremes {
  HALOCLINE_HD Extremes operator()(const Extremes& a, const Extremes& b) const {
    return {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high,
            a.first_bad < b.first_bad ? a.first_bad : b.first_bad};
  }
};
template <class T>
struct ExtremesOfLine {
  SlabLayout slab;
  const T* values;
  HALOCLINE_HD Extremes operator()(Index n) const {
    const T* c = values + slab.line(n);
    const Index count = slab.extent[0];
    T low = c[0], high = c[0];
    int bad = 0;
#pragma omp simd reduction(min : low) reduction(max : high) reduction(| : bad)
    for (Index x = 0; x < count; ++x) {
      low = c[x] < low ? c[x] : low;
      high = c[x] > high ? c[x] : high;
      bad |= c[x] - c[x] == T{0} ? 0 : 1;
    }
    Extremes e{static_cast<double>(low), static_cast<double>(high), Extremes::none};
    for (Index x = 0; bad != 0 && x < count; ++x)
      if (!(c[x] - c[x] == T{0})) {
        e.first_bad = n * count + x;
        break;
      }
    return e;
  }
};
template <class T>
struct ExtremesOfUnknown {
  SlabLayout slab;
  const T* values;
  HALOCLINE_HD Extremes operator()(Index n, Index x) const {
    const T c = values[slab.line(n) + x];
    const bool good = c - c == T{0};
    return {static_cast<double>(c), static_cast<double>(c), good ? Extremes::none : n * slab.extent[0] + x};
  }
};

}  // namespace halocline
