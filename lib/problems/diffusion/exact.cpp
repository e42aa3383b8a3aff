#include "lib/problems/diffusion/exact.hpp"

#include <cmath>
#include <numbers>

namespace halocline::diffusion {

namespace {

double scale_at(double diffusivity, double t) { return t > 0 ? std::sqrt(4 * diffusivity * t) : 0; }

}  // namespace

CarburizingCell carburizing(const UniformGrid& geometry, double diffusivity, double t) {
  const bool hiperc = geometry.layout == GridLayout::ringed;
  return {scale_at(diffusivity, t),
          {geometry.spacing[0], geometry.spacing[1]},
          hiperc ? 0.0 : 0.5,
          static_cast<double>(geometry.extent[0] - (hiperc ? 1 : 0)) * geometry.spacing[0],
          static_cast<double>(geometry.extent[1]) * geometry.spacing[1]};
}

double carburizing_uptake(const UniformGrid& geometry, double diffusivity, double t) {
  const double half = static_cast<double>(geometry.extent[1]) * geometry.spacing[1] / 2;
  return 2 * half * std::sqrt(4 * diffusivity * t / std::numbers::pi) + diffusivity * t;
}

BenchmarkCell benchmark(const UniformGrid& g, double diffusivity, double t) {
  const double h = g.spacing[0], k = g.spacing[1];
  const Index nx = g.extent[0] + 2 * g.ring, ny = g.extent[1] + 2 * g.ring;
  const auto r = static_cast<double>(g.ring);
  return {scale_at(diffusivity, t),
          {g.origin[0], g.origin[1]},
          {h, k},
          g.ring,
          r * h,
          static_cast<double>(nx - 1 - g.ring) * h,
          r * k,
          static_cast<double>(ny / 2) * k,
          static_cast<double>(ny - 1 - g.ring) * k};
}

}  // namespace halocline::diffusion
