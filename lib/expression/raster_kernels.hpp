// RasterView: values on a regular grid of 2 or 3 axes, from a file say, looked up at any place.
//
// A looked-up value depends on the raster and the place alone, whatever the loop around it: products and sums are
// rounded as written, by explicit fused multiply-adds.
#pragma once

#include <cmath>

#include "lib/base/fma.hpp"
#include "lib/base/types.hpp"

namespace halocline {

enum class Interpolation { linear, conservative, nearest };

struct RasterView {
  const double* values = nullptr;  // [z][y][x]
  Index extent[3] = {1, 1, 1};     // 1 along an axis that is not there
  double origin[3] = {0, 0, 0};    // place of the first value
  double spacing[3] = {1, 1, 1};   // negative where an axis runs down
  double reach[3] = {0, 0, 0};     // conservative: half the width of the cell that is averaged over
  Interpolation interpolation = Interpolation::linear;

  // At a place along the axes. Outside linear interpolation goes on as at the border, the others take what is nearest.
  HALOCLINE_HD double look(double x, double y, double z) const {
    const double place[3] = {x, y, z};
    double at[3];  // in spacings from the first value
    for (int axis = 0; axis < 3; ++axis) at[axis] = snapped((place[axis] - origin[axis]) / spacing[axis]);
    if (interpolation == Interpolation::conservative) return average(at);
    return interpolation == Interpolation::linear ? between(at) : nearest(at);
  }

 private:
  // Places of the values themselves, and borders of their cells, are met in spite of rounding.
  HALOCLINE_HD static double snapped(double at) {
    const double whole = ::floor(at + 0.5);
    return ::fabs(at - whole) < 1e-9 ? whole : at;
  }
  HALOCLINE_HD static double clamped(double at, double low, double high) {
    return at > low ? (at < high ? at : high) : low;  // what is no number becomes low
  }
  HALOCLINE_HD double value(Index x, Index y, Index z) const { return values[(z * extent[1] + y) * extent[0] + x]; }

  HALOCLINE_HD double nearest(const double (&at)[3]) const {
    Index n[3];
    for (int axis = 0; axis < 3; ++axis)
      n[axis] = static_cast<Index>(clamped(::floor(at[axis] + 0.5), 0, static_cast<double>(extent[axis] - 1)));
    return value(n[0], n[1], n[2]);
  }

  // A value with no weight is not looked at, be it no number.
  HALOCLINE_HD static double mixed(double a, double b, double weight) {
    return weight == 0 ? a : fma(weight, b - a, a);
  }
  HALOCLINE_HD double between(const double (&at)[3]) const {
    Index low[3], high[3];
    double weight[3];
    for (int axis = 0; axis < 3; ++axis) {
      const Index last = extent[axis] - 1;
      Index n = static_cast<Index>(clamped(::floor(at[axis]), 0, static_cast<double>(last)));
      if (n == last && n > 0 && at[axis] > static_cast<double>(last)) --n;
      low[axis] = n;
      high[axis] = n < last ? n + 1 : n;
      weight[axis] = last == 0 ? 0 : at[axis] - static_cast<double>(n);
    }
    double of_planes[2] = {0, 0};
    for (int k = 0; k < (weight[2] == 0 ? 1 : 2); ++k) {
      const Index z = k == 0 ? low[2] : high[2];
      double of_lines[2] = {0, 0};
      for (int j = 0; j < (weight[1] == 0 ? 1 : 2); ++j) {
        const Index y = j == 0 ? low[1] : high[1];
        of_lines[j] = mixed(value(low[0], y, z), value(high[0], y, z), weight[0]);
      }
      of_planes[k] = mixed(of_lines[0], of_lines[1], weight[1]);
    }
    return mixed(of_planes[0], of_planes[1], weight[2]);
  }

  // The mean over what the cell around a place has in common with the raster's cells.
  HALOCLINE_HD double average(const double (&at)[3]) const {
    double low[3], high[3], measure = 1;
    for (int axis = 0; axis < 3; ++axis) {
      const double half = ::fabs(reach[axis] / spacing[axis]), all = static_cast<double>(extent[axis]);
      low[axis] = extent[axis] == 1 ? 0 : clamped(snapped(at[axis] + 0.5 - half), 0, all);
      high[axis] = extent[axis] == 1 ? 1 : clamped(snapped(at[axis] + 0.5 + half), 0, all);
      if (!(low[axis] < high[axis])) return nearest(at);
      measure *= high[axis] - low[axis];
    }
    double sum = 0;
    for (Index z = static_cast<Index>(low[2]); static_cast<double>(z) < high[2]; ++z)
      for (Index y = static_cast<Index>(low[1]); static_cast<double>(y) < high[1]; ++y) {
        const double across = common(z, low[2], high[2]) * common(y, low[1], high[1]);
        for (Index x = static_cast<Index>(low[0]); static_cast<double>(x) < high[0]; ++x)
          sum = fma(across * common(x, low[0], high[0]), value(x, y, z), sum);
      }
    return sum / measure;
  }
  // Length that cell number n has in common with low .. high.
  HALOCLINE_HD static double common(Index n, double low, double high) {
    const auto begin = static_cast<double>(n);
    return (high < begin + 1 ? high : begin + 1) - (low > begin ? low : begin);
  }
};

}  // namespace halocline
