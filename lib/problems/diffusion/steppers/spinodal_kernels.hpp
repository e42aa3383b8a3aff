// Bodies for gpu/launch.hpp: one step of the equation of Cahn and Hilliard in two passes of a mask, and its free
// energy.
//
//   mu = f'(c) - kappa lap c,   c_new = c + dt M lap mu,   f = rho (c - low)^2 (high - c)^2 or by a formula
// Traffic of a step: c, mu, c read once, mu, next written once: 40 bytes a cell. Where f'(c) comes from a formula, c,
// and f'(c) written and read, more: 64.
#pragma once

#include "lib/problems/diffusion/convolve_kernels.hpp"
#include "lib/problems/diffusion/step_kernels.hpp"

namespace halocline::diffusion {

struct DoubleWell {
  double rho, low, high;
  HALOCLINE_HD double energy(double c) const {
    const double product = (c - low) * (high - c);
    return rho * (product * product);
  }
  HALOCLINE_HD double slope(double c) const {
    const double a = c - low, b = high - c;
    return 2 * rho * ((a * b) * (b - a));
  }
  HALOCLINE_HD double curvature(double c) const {
    const double a = c - low, b = high - c;
    return 2 * rho * ((b - a) * (b - a) - 2 * (a * b));
  }
};

// The mask applied to `from` on a row, by `use(place, mask value, old value)`: away from walls by distance in memory.
template <MaskKind K>
struct MaskRow {
  const ConvolveBlock<double>& b;
  const ConvolveMask<double>& mask;
  const double* from;
  template <class Use>
  HALOCLINE_HD void operator()(Index z, Index y, const Use& use) const {
    const Cells<double> cells{from, b.pitch, b.plane};
    const Index n = b.extent[0], reach = mask.radius[0], row = b.offset(z, y, 0);
    const bool near = row_near_wall(b, mask, z, y) || n <= 2 * reach;
    const Index lo = near ? n : reach, hi = near ? n : n - reach;
    for (Index x = 0; x < lo; ++x) use(row + x, update_at_wall<K>(b, mask, 0, cells, z, y, x, false));
#pragma omp simd
    for (Index x = lo; x < hi; ++x)
      use(row + x, update<K>(mask, InnerNeighbors<double>{from + row + x, b.pitch, b.plane}));
    for (Index x = hi; x < n; ++x) use(row + x, update_at_wall<K>(b, mask, 0, cells, z, y, x, false));
  }
  HALOCLINE_HD double cell(Index z, Index y, Index x) const {
    const bool inner = x >= mask.radius[0] && x < b.extent[0] - mask.radius[0] && !row_near_wall(b, mask, z, y);
    return inner ? update<K>(mask, InnerNeighbors<double>{from + b.offset(z, y, x), b.pitch, b.plane})
                 : update_at_wall<K>(b, mask, 0, Cells<double>{from, b.pitch, b.plane}, z, y, x, false);
  }
};

// mu from c: the mask's weights times -kappa.
template <MaskKind K>
struct PotentialBody {
  ConvolveBlock<double> b;
  ConvolveMask<double> mask;
  DoubleWell well;
  double* mu;
  struct Put {
    const double* c;
    double* mu;
    DoubleWell well;
    HALOCLINE_HD void operator()(Index place, double masked) const {
      mu[place] = (masked - c[place]) + well.slope(c[place]);
    }
  };
  HALOCLINE_HD void operator()(Index z, Index y) const { MaskRow<K>{b, mask, b.c}(z, y, Put{b.c, mu, well}); }
  HALOCLINE_HD void operator()(Index z, Index y, Index x) const {
    Put{b.c, mu, well}(b.offset(z, y, x), MaskRow<K>{b, mask, b.c}.cell(z, y, x));
  }
};

// The same where f'(c) stands in the place of mu.
template <MaskKind K>
struct PotentialOfSlope {
  ConvolveBlock<double> b;
  ConvolveMask<double> mask;
  double* mu;
  struct Put {
    const double* c;
    double* mu;
    HALOCLINE_HD void operator()(Index place, double masked) const { mu[place] = (masked - c[place]) + mu[place]; }
  };
  HALOCLINE_HD void operator()(Index z, Index y) const { MaskRow<K>{b, mask, b.c}(z, y, Put{b.c, mu}); }
  HALOCLINE_HD void operator()(Index z, Index y, Index x) const {
    Put{b.c, mu}(b.offset(z, y, x), MaskRow<K>{b, mask, b.c}.cell(z, y, x));
  }
};

// The new c from mu: the mask's weights times dt M.
template <MaskKind K>
struct EvolveBody {
  ConvolveBlock<double> b;
  ConvolveMask<double> mask;
  const double* mu;
  struct Put {
    const double *c, *mu;
    double* next;
    HALOCLINE_HD void operator()(Index place, double masked) const { next[place] = c[place] + (masked - mu[place]); }
  };
  HALOCLINE_HD void operator()(Index z, Index y) const { MaskRow<K>{b, mask, mu}(z, y, Put{b.c, mu, b.next}); }
  HALOCLINE_HD void operator()(Index z, Index y, Index x) const {
    Put{b.c, mu, b.next}(b.offset(z, y, x), MaskRow<K>{b, mask, mu}.cell(z, y, x));
  }
};

// Sum of f + kappa/2 |grad c|^2 over a row, gradients by central differences, with ghosts of the state itself.
struct EnergyOfRow {
  ConvolveBlock<double> b;
  DoubleWell well;
  const double* f;  // of cells; null: that of `well`
  double kappa;
  double half_inverse[3];  // 1 / (2 h)
  template <class Sink>
  HALOCLINE_HD void operator()(Index row, Sink& sink) const {
    const Cells<double> cells{b.c, b.pitch, b.plane};
    const Index z = row / b.extent[1], y = row % b.extent[1];
    double sum = 0;
    for (Index x = 0; x < b.extent[0]; ++x) {
      const Neighbors<double, Cells<double>> at{b, 0, cells, z, y, x};
      const double gx = (at(0, 0, 1) - at(0, 0, -1)) * half_inverse[0];
      const double gy = (at(0, 1, 0) - at(0, -1, 0)) * half_inverse[1];
      const double gz = b.dimensions == 3 ? (at(1, 0, 0) - at(-1, 0, 0)) * half_inverse[2] : 0;
      sum += (f ? f[b.offset(z, y, x)] : well.energy(at(0, 0, 0))) + 0.5 * kappa * (gx * gx + gy * gy + gz * gz);
    }
    sink.add(0, sum);
  }
};

}  // namespace halocline::diffusion
