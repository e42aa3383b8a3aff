#include "lib/problems/collocation/axes/axis.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "lib/base/error.hpp"

namespace halocline::collocation {

namespace {

constexpr double root3 = std::numbers::sqrt3;
constexpr double sigma = 0.21132486540518712;  // (1 - 1/sqrt 3) / 2

constexpr std::size_t most_points = 7;  // nodes and Gauss points of two elements

// Derivative at points[at] of the polynomial through (points, values): barycentric differentiation.
double interpolant_slope(std::span<const double> points, std::span<const double> values, std::size_t at) {
  const std::size_t n = points.size();
  std::array<double, most_points> weight;
  weight.fill(1);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (j != i) weight[i] /= points[i] - points[j];
  double slope = 0;
  for (std::size_t j = 0; j < n; ++j)
    if (j != at) slope += weight[j] / weight[at] * (values[j] - values[at]) / (points[at] - points[j]);
  return slope;
}

}  // namespace

std::array<double, 4> hermite(int order, double t) {
  if (order == 0) return {(1 - t) * (1 - t) * (1 + 2 * t), t * (1 - t) * (1 - t), t * t * (3 - 2 * t), t * t * (t - 1)};
  return {6 * t * (t - 1), (1 - t) * (1 - 3 * t), 6 * t * (1 - t), t * (3 * t - 2)};
}

std::array<double, 4> hermite_at_gauss(int order, int q) {
  constexpr double kA = (9 + 4 * root3) / 18, kB = (3 + root3) / 36, kC = (3 - root3) / 36;
  constexpr double sixth = root3 / 6;
  switch (2 * order + q) {
    case 0:
      return {kA, kB, 1 - kA, -kC};
    case 1:
      return {1 - kA, kC, kA, -kB};
    case 2:
      return {-1, sixth, 1, -sixth};
    case 3:
      return {-1, -sixth, 1, sixth};
    case 4:
      return {-2 * root3, -(root3 + 1), 2 * root3, -(root3 - 1)};
    case 5:
      return {2 * root3, root3 - 1, -2 * root3, root3 + 1};
    default:
      throw InternalError("hermite_at_gauss: derivative order must be 0, 1 or 2");
  }
}

Axis::Axis(std::vector<double> nodes, EndCondition low, EndCondition high)
    : nodes_(std::move(nodes)), low_(low), high_(high) {
  require(nodes_.size() >= 2, "Axis: at least one element");
  for (const EndCondition& end : {low, high})
    require(std::isfinite(end.alpha) && std::isfinite(end.beta) && (end.alpha != 0 || end.beta != 0),
            "Axis: an end condition needs finite alpha and beta, not both zero");
  const Index n = elements();
  for (Index e = 0; e < n; ++e) {
    require(length(e) > 0, "Axis: nodes must increase");
    gauss_.push_back(nodes_[e] + sigma * length(e));
    gauss_.push_back(nodes_[e] + (1 - sigma) * length(e));
  }
  for (Index i = 0; i <= n; ++i) {
    const double before = length(std::max<Index>(i - 1, 0)), after = length(std::min(i, n - 1));
    scale_.push_back((before + after) / 2);
  }
}

Axis::Axis(std::vector<double> nodes, Periodic /*periodic*/) : Axis(std::move(nodes)) {
  periodic_ = true;
  scale_.front() = scale_.back() = (length(0) + length(elements() - 1)) / 2;
}

Index Axis::gauss_of(Index node, Index q) const {
  const Index g = 2 * node - 1 + q, count = 2 * elements();
  if (g >= 0 && g < count) return g;
  if (!periodic_) return -1;
  return g < 0 ? g + count : g - count;
}

bool Axis::uniform() const {
  const double mean = mean_length();
  const double rounding = 2e-15 * std::max(std::abs(nodes_.front()), std::abs(nodes_.back())) + 1e-12 * mean;
  for (Index e = 0; e < elements(); ++e)
    if (std::abs(length(e) - mean) > rounding) return false;
  return true;
}

std::array<double, 4> Axis::row(int order, Index g) const {
  const Index e = g / 2;
  const double h = length(e);
  auto c = hermite_at_gauss(order, static_cast<int>(g % 2));
  const double scale = order == 0 ? 1 : order == 1 ? h : h * h;
  for (double& value : c) value /= scale;
  c[1] *= h / scale_[e];
  c[3] *= h / scale_[e + 1];
  return c;
}

std::array<double, 4> Axis::eliminated_row(int order, Index g) const {
  auto c = row(order, g);
  const Index e = g / 2;
  if (e == 0) {
    const auto t = tangent(End::low);
    c[1] = c[0] * t[0] + c[1] * t[1];
    c[0] = 0;
  }
  if (e == elements() - 1) {  // the last unknown, z_n, takes the place v_n would have
    const auto t = tangent(End::high);
    c[2] = c[2] * t[0] + c[3] * t[1];
    c[3] = 0;
  }
  return c;
}

std::array<double, 2> Axis::functional(End end) const {
  const EndCondition& given = condition(end);
  const double outward = end == End::low ? -given.beta / scale_.front() : given.beta / scale_.back();
  return {given.alpha, outward};
}

std::array<double, 2> Axis::lifting(End end) const {
  const auto b = functional(end);
  const double square = b[0] * b[0] + b[1] * b[1];
  return {b[0] / square, b[1] / square};
}

std::array<double, 2> Axis::tangent(End end) const {
  const auto b = functional(end);
  const double length = std::hypot(b[0], b[1]);
  const std::array<double, 2> t{-b[1] / length, b[0] / length};
  const bool flip = std::abs(t[0]) > std::abs(t[1]) ? t[0] < 0 : t[1] < 0;
  return flip ? std::array<double, 2>{-t[0], -t[1]} : std::array<double, 2>{t[0] + 0.0, t[1]};
}

Axis Axis::coarsened() const {
  require(elements() % 2 == 0, "Axis: an odd number of elements cannot be coarsened");
  std::vector<double> nodes;
  for (Index i = 0; i <= elements(); i += 2) nodes.push_back(nodes_[i]);
  return with_nodes(std::move(nodes));
}

Axis Axis::with_nodes(std::vector<double> nodes) const {
  return periodic_ ? Axis(std::move(nodes), Periodic()) : Axis(std::move(nodes), low_, high_);
}

std::vector<double> Axis::scaled_slopes(const std::vector<double>& at_nodes, const std::vector<double>& at_gauss,
                                        Index first_node) const {
  const Index n = static_cast<Index>(at_nodes.size()) - 1;
  std::vector<double> slopes;
  for (Index i = 0; i <= n; ++i) {
    const Index first = std::clamp<Index>(i - 1, 0, std::max<Index>(n - 2, 0));
    const Index last = std::min(first + 1, n - 1);
    std::array<double, most_points> points{nodes_[first_node + first]}, values{at_nodes[first]};
    std::size_t count = 1;
    const auto add = [&](double point, double value) {
      points[count] = point;
      values[count++] = value;
    };
    for (Index e = first; e <= last; ++e) {
      for (Index g = 2 * e; g <= 2 * e + 1; ++g) add(gauss_[2 * first_node + g], at_gauss[g]);
      add(nodes_[first_node + e + 1], at_nodes[e + 1]);
    }
    const auto at = static_cast<std::size_t>(3 * (i - first));
    slopes.push_back(scale_[first_node + i] * interpolant_slope({points.data(), count}, {values.data(), count}, at));
  }
  return slopes;
}

}  // namespace halocline::collocation
