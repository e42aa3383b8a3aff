// Known solutions: the carburizing problem, and the formula the benchmark HiPerC compares with.
#pragma once

#include "lib/problems/diffusion/geometry.hpp"

namespace halocline::diffusion {

// Square of side L, c = 1 on the lower half of the left wall and the upper half of the right one, no flux elsewhere,
// c = 0 at t = 0. By images of the solution for a wall x = 0 fixed at 1 for y < 0 and insulated for y > 0 (a wave
// diffracted by a half plane, in closed form but for one integral); neglected terms are below 1e-12 up to
// sqrt(4 D t) = L / 5. In layout hiperc the fixed walls lie on the first points, the others half a cell outside.
class Carburizing {
 public:
  Carburizing(const Geometry& geometry, double diffusivity);
  double value(double t, Index i, Index j) const;
  // What both walls have let in up to t, per thickness: 2 l sqrt(4 D t / pi) + D t, l = L / 2.
  double uptake(double t) const;

 private:
  Geometry geometry_;
  double diffusivity_, width_, height_, half_;
};

// c for x > 0 next to a wall x = 0 fixed at 1 for y < 0 and insulated for y > 0, at 4 D t = scale^2.
double half_wall(double x, double y, double scale);

// c_a of the benchmark at point (i, j) of the inner ones: erfc of the distance to each fixed half-wall, added.
double benchmark_formula(const Geometry& geometry, double diffusivity, double t, Index i, Index j);

}  // namespace halocline::diffusion
