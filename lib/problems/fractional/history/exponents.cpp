#include "lib/problems/fractional/history/exponents.hpp"

#include <algorithm>
#include <cmath>

#include "lib/base/error.hpp"
#include "lib/problems/fractional/history/trapezoid.hpp"
#include "lib/problems/fractional/weights/gauss.hpp"

namespace halocline::fractional {

namespace {

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// What is left of `v` when its parts along all of `basis`, which are orthonormal, are taken out twice; its length.
double orthogonalize(std::vector<double>& v, const std::vector<std::vector<double>>& basis) {
  for (int pass = 0; pass < 2; ++pass)
    for (const std::vector<double>& q : basis) {
      const double part = dot(v, q);
      for (std::size_t i = 0; i < v.size(); ++i) v[i] -= part * q[i];
    }
  return std::sqrt(dot(v, v));
}

// The n-point Gauss rule of the measure with these masses at these points, by Lanczos' method with full
// reorthogonalization.
GaussRule gauss_of_measure(const std::vector<double>& points, const std::vector<double>& masses, int n) {
  double total = 0;
  for (const double mass : masses) total += mass;
  std::vector<double> v;
  for (const double mass : masses) v.push_back(std::sqrt(mass / total));
  std::vector<std::vector<double>> basis;
  std::vector<double> diagonal, off;
  double length = std::sqrt(dot(v, v));
  while (true) {
    for (double& value : v) value /= length;
    basis.push_back(v);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] *= points[i];
    diagonal.push_back(dot(v, basis.back()));
    length = orthogonalize(v, basis);
    // The measure may have fewer points that count than were asked for.
    if (static_cast<int>(diagonal.size()) == n || !(length > 1e-15)) break;
    off.push_back(length);
  }
  return gauss_of_matrix(diagonal, off, total);
}

}  // namespace

ExponentialSum exponential_sum(const Medium& medium, const KernelRange& range) {
  require(range.shortest > 0 && range.longest >= range.shortest && range.eps > 0, "exponential_sum: an empty range");
  ExponentialSum sum;
  if (kernel(medium, range.shortest) == 0) return sum;
  const Trapezoid rule = trapezoid({medium}, range);
  const SlowPart slow = slow_part(rule, {medium}, range, 2);
  const double unit = rule.rate(slow.last);
  std::vector<double> points{0}, masses{rule.mass(medium, rule.first - 1)};
  for (int k = rule.first; k <= slow.last; ++k) {
    points.push_back(rule.rate(k) / unit);
    masses.push_back(rule.weight(medium, k));
  }
  const GaussRule gauss = gauss_of_measure(points, masses, slow.nodes);
  for (std::size_t i = 0; i < gauss.nodes.size(); ++i) {
    sum.rates.push_back(std::max(0.0, gauss.nodes[i]) * unit);
    sum.weights.push_back(gauss.weights[i]);
  }
  for (int k = slow.last + 1; k <= rule.last; ++k) {
    sum.rates.push_back(rule.rate(k));
    sum.weights.push_back(rule.weight(medium, k));
  }
  return sum;
}

double kernel(const Medium& medium, double s) {
  double sum = 0;
  for (const Term& term : medium)
    if (term.order < 1)
      sum += term.coefficient * (1 - term.order) / std::tgamma(2 - term.order) * std::pow(s, -term.order);
  return sum;
}

double measured_error(const ExponentialSum& sum, const Medium& medium, const KernelRange& range) {
  constexpr int count = 4000;
  double worst = 0;
  for (int i = 0; i < count; ++i) {
    const double s = range.shortest * std::pow(range.longest / range.shortest, i / (count - 1.0));
    double value = 0;
    for (std::size_t k = 0; k < sum.rates.size(); ++k) value += sum.weights[k] * std::exp(-sum.rates[k] * s);
    worst = std::max(worst, std::abs(value / kernel(medium, s) - 1));
  }
  return worst;
}

}  // namespace halocline::fractional
