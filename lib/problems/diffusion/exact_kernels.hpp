// Known solutions as bodies: values of cells (i, j) at a time, and on lines of cells.
#pragma once

#include <cmath>

#include "lib/base/types.hpp"
#include "lib/fields/slab_layout.hpp"

namespace halocline::diffusion {

// sgn(a)/pi int_0^{pi/2} erfc(q (1 + 2 a^2 tan^2 phi)) dphi. With a tan phi = a sinh s the integrand is even, smooth
// and decays like exp(-|s|), so the trapezoidal rule converges exponentially.
HALOCLINE_HD inline double diffracted(double a, double q) {
  constexpr double beyond = 27;  // erfc is 0 in double precision from here on
  if (a == 0 || q > beyond) return 0;
  constexpr double h = 0.125, pi = 3.14159265358979323846;
  double sum = 0.5 * ::erfc(q);
  for (int n = 1; n < 400; ++n) {
    const double s = n * h, wave = a * ::sinh(s), argument = q * (1 + 2 * wave * wave);
    if (argument > beyond || s > 40) break;
    sum += ::erfc(argument) / ::cosh(s);
  }
  return (a > 0 ? h : -h) * sum / pi;
}

// c for x > 0 next to a wall x = 0 fixed at 1 for y < 0 and insulated for y > 0, at 4 D t = scale^2.
HALOCLINE_HD inline double half_wall(double x, double y, double scale) {
  constexpr double quarter_pi = 3.14159265358979323846 / 4;
  const double radius = ::hypot(x, y), angle = ::atan2(x, -y), q = radius / scale;
  const double a1 = ::cos(angle / 2 + quarter_pi), a2 = ::cos(angle / 2 - quarter_pi);
  const double front = ::erfc(x / scale);
  if (a1 == 0) return 0.5 * front + diffracted(a2, q);
  return (a1 > 0 ? front : 0.0) - diffracted(a1, q) + diffracted(a2, q);
}

// Carburizing at a time (exact.hpp).
struct CarburizingCell {
  double scale;  // sqrt(4 D t); 0 at t = 0
  double spacing[2], offset;
  double width, height;

  HALOCLINE_HD double operator()(Index i, Index j) const {
    if (!(scale > 0)) return 0;
    const double x = (static_cast<double>(i) + offset) * spacing[0], y = (static_cast<double>(j) + 0.5) * spacing[1];
    return from_wall(x, y) + from_wall(width - x, height - y);
  }

 private:
  HALOCLINE_HD double from_wall(double across, double along) const {
    const double half = height / 2;
    return half_wall(across, along - half, scale) + half_wall(across, -along - half, scale) - ::erfc(across / scale);
  }
};

// The formula of the benchmark HiPerC at a time: erfc of the distance to each fixed half-wall, added.
struct BenchmarkCell {
  double scale;  // sqrt(4 D t); 0 at t = 0
  double origin[2], spacing[2];
  Index ring;
  double left, right, low, middle, top;  // of the half-walls: x of either, y of their ends

  HALOCLINE_HD double operator()(Index i, Index j) const {
    if (!(scale > 0)) return 0;
    const double x = coordinate(0, i), y = coordinate(1, j);
    return ::erfc(distance(x, y, low, middle, left) / scale) + ::erfc(distance(x, y, middle, top, right) / scale);
  }

 private:
  HALOCLINE_HD double coordinate(int axis, Index i) const {
    return origin[axis] + static_cast<double>(i + ring) * spacing[axis] - origin[axis];
  }
  HALOCLINE_HD static double distance(double x, double y, double from, double to, double wall) {
    const double nearest = y < from ? from : to < y ? to : y;
    return ::hypot(x - wall, y - nearest);
  }
};

// A known solution of (i, j) on lines of cells in slabs: to[line][x].
template <class Cell>
struct FillKnown {
  Cell value;
  SlabLayout slab;
  Index first;  // row of the slow axis from which lines are counted
  double* to;
  HALOCLINE_HD void operator()(Index n, Index i) const {
    to[n * slab.extent[0] + i] =
        value(i + slab.first_column, slab.y_of(n, first) + (slab.dimensions == 3 ? 0 : slab.first));
  }
};

}  // namespace halocline::diffusion
