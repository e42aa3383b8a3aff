// Stencil: a mask, its weights, its checks and its limit of stability.
//
// Named masks (spec: the benchmark HiPerC; L. Collatz, The Numerical Treatment of Differential Equations, for the
// Mehrstellen masks): with delta_x c = c_w - 2 c + c_e
//   5pt, 7pt      sum of delta_a / h_a^2                                                  order 2
//   9pt, 19pt     and (h_a^2 + h_b^2) / (12 h_a^2 h_b^2) delta_a delta_b for each pair    order 2, error isotropic
//   27pt          and the threefold product; with D dt / h^2 = 1/6 the update is the product of (1, 4, 1)/6 per axis
//   cross4        (-1, 16, -30, 16, -1) / (12 h_a^2) per axis                             order 4
#pragma once

#include <vector>

#include "lib/base/describe.hpp"
#include "lib/fields/uniform_grid.hpp"
#include "lib/problems/diffusion/convolve_kernels.hpp"
#include "lib/problems/diffusion/options.hpp"

namespace halocline::diffusion {

struct Stencil {
  MaskKind kind = MaskKind::star5;
  int radius[3] = {1, 1, 0};    // x, y, z
  double k[7] = {};             // of ConvolveMask, without D dt
  std::vector<double> weights;  // in full, 1/length^2
  int reach() const { return radius[0] > radius[1] ? radius[0] : radius[1]; }
  Index points() const { return static_cast<Index>(weights.size()); }
  double sum() const;
  bool symmetric() const;  // w(m) = w(-m), which the balance of mass needs
  // sum of weights times cos(k . m) at wave numbers per cell, k in [0, pi]^d.
  double symbol(double kx, double ky, double kz) const;
  // Largest sign * symbol (at least 0), sampled on [-pi, pi]^d and refined around the best sample: -1 for the limit of
  // stability, 1 to see whether there are modes that grow at any time step.
  double largest_symbol(double sign) const;
};

// Radius that the options ask for, before the grid is known; 1 when they are wrong.
int reach_of(const StencilOptions& options);

// The stencil of a deck on a grid; reports faults of mask, dimensions and moments.
Stencil make_stencil(const StencilOptions& options, const UniformGrid& geometry, Faults& faults);

}  // namespace halocline::diffusion
