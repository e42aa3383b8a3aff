// DeviceMask: the mask of a stencil, times a factor, on a device.
#pragma once

#include <algorithm>
#include <vector>

#include "lib/base/array.hpp"
#include "lib/problems/diffusion/convolve_kernels.hpp"
#include "lib/problems/diffusion/stencil.hpp"

namespace halocline::diffusion {

struct DeviceMask {
  Array<double, 1> weights;
  ConvolveMask<double> mask;
};

/// Of a stencil whose weights sum to 0.
inline DeviceMask device_mask(const ExecutorPtr& executor, const Stencil& stencil, double factor) {
  std::vector<double> scaled = stencil.weights;
  for (double& w : scaled) w *= factor;
  DeviceMask made{make_array(executor, scaled), {}};
  made.mask.kind = stencil.kind;
  std::copy(stencil.radius, stencil.radius + 3, made.mask.radius);
  for (int n = 0; n < 7; ++n) made.mask.k[n] = stencil.k[n] * factor;
  made.mask.weights = made.weights.view().data;
  return made;
}

}  // namespace halocline::diffusion
