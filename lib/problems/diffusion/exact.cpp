#include "lib/problems/diffusion/exact.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace halocline::diffusion {

namespace {

constexpr double beyond = 27;  // erfc is 0 in double precision from here on

// sgn(a)/pi int_0^{pi/2} erfc(q (1 + 2 a^2 tan^2 phi)) dphi. With a tan phi = a sinh s the integrand is even, smooth
// and decays like exp(-|s|), so the trapezoidal rule converges exponentially.
double diffracted(double a, double q) {
  if (a == 0 || q > beyond) return 0;
  constexpr double h = 0.125, pi = std::numbers::pi;
  double sum = 0.5 * std::erfc(q);
  for (int n = 1; n < 400; ++n) {
    const double s = n * h, wave = a * std::sinh(s), argument = q * (1 + 2 * wave * wave);
    if (argument > beyond || s > 40) break;
    sum += std::erfc(argument) / std::cosh(s);
  }
  return (a > 0 ? h : -h) * sum / pi;
}

double distance(double x, double y, double low, double high, double wall) {
  return std::hypot(x - wall, y - std::clamp(y, low, high));
}

}  // namespace

double half_wall(double x, double y, double scale) {
  const double radius = std::hypot(x, y), angle = std::atan2(x, -y), q = radius / scale;
  const double a1 = std::cos(angle / 2 + std::numbers::pi / 4), a2 = std::cos(angle / 2 - std::numbers::pi / 4);
  const double front = std::erfc(x / scale);
  if (a1 == 0) return 0.5 * front + diffracted(a2, q);
  return (a1 > 0 ? front : 0.0) - diffracted(a1, q) + diffracted(a2, q);
}

Carburizing::Carburizing(const Geometry& geometry, double diffusivity)
    : geometry_(geometry), diffusivity_(diffusivity) {
  const bool hiperc = geometry.layout == Layout::hiperc;
  width_ = static_cast<double>(geometry.cells[0] - (hiperc ? 1 : 0)) * geometry.spacing[0];
  height_ = static_cast<double>(geometry.cells[1]) * geometry.spacing[1];
  half_ = height_ / 2;
}

double Carburizing::value(double t, Index i, Index j) const {
  if (!(t > 0)) return 0;
  const double scale = std::sqrt(4 * diffusivity_ * t);
  const double x = (static_cast<double>(i) + (geometry_.layout == Layout::hiperc ? 0.0 : 0.5)) * geometry_.spacing[0];
  const double y = (static_cast<double>(j) + 0.5) * geometry_.spacing[1];
  const auto from_wall = [&](double across, double along) {
    return half_wall(across, along - half_, scale) + half_wall(across, -along - half_, scale) -
           std::erfc(across / scale);
  };
  return from_wall(x, y) + from_wall(width_ - x, height_ - y);
}

double Carburizing::uptake(double t) const {
  return 2 * half_ * std::sqrt(4 * diffusivity_ * t / std::numbers::pi) + diffusivity_ * t;
}

double benchmark_formula(const Geometry& g, double diffusivity, double t, Index i, Index j) {
  const double x = g.center(0, i) - g.origin[0], y = g.center(1, j) - g.origin[1];
  const double h = g.spacing[0], k = g.spacing[1];
  const Index nx = g.cells[0] + 2 * g.ring, ny = g.cells[1] + 2 * g.ring;
  const auto r = static_cast<double>(g.ring);
  const double middle = static_cast<double>(ny / 2) * k, right = static_cast<double>(nx - 1 - g.ring) * h;
  const double top = static_cast<double>(ny - 1 - g.ring) * k, scale = std::sqrt(4 * diffusivity * t);
  if (!(t > 0)) return 0;
  return std::erfc(distance(x, y, r * k, middle, r * h) / scale) +
         std::erfc(distance(x, y, middle, top, right) / scale);
}

}  // namespace halocline::diffusion
