#include "lib/problems/fractional/history/trapezoid.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

namespace halocline::fractional {

namespace {

constexpr double pi = std::numbers::pi;

// log |Gamma(x + i y)| by Stirling's series, 0 < x < 1.
double log_gamma_size(double x, double y) {
  std::complex<double> z(x, y);
  double below = 0;
  for (int n = 0; n < 10; ++n, z += 1) below += std::log(std::abs(z));
  const std::complex<double> series = 1.0 / (12.0 * z) - 1.0 / (360.0 * z * z * z) + 1.0 / (1260.0 * std::pow(z, 5));
  return std::real((z - 0.5) * std::log(z) - z + series) + 0.5 * std::log(2 * pi) - below;
}

double trapezoid_error(double order, double step) {
  const double own = std::lgamma(order);
  double sum = 0;
  for (int n = 1; n <= 4; ++n) sum += std::exp(log_gamma_size(order, 2 * pi * n / step) - own);
  return 2 * sum;
}

// sin(pi b)/pi = 1/(Gamma(b) Gamma(1 - b)), with the digits of b near 1.
double reflection(double order) { return std::sin(pi * (order < 0.5 ? order : 1 - order)) / pi; }

// Sum of what the points beyond k give at distance s, at most.
double beyond(const Trapezoid& rule, const Medium& medium, int k, double s) {
  double sum = 0;
  while (true) {
    ++k;
    const double term = rule.weight(medium, k) * std::exp(-rule.rate(k) * s);
    sum += term;
    if (!(term > 1e-3 * sum)) return sum;
  }
}

// e^-a I_j(a) for j = 0 .. count - 1, by the recurrence downward, which e^a = I_0 + 2 sum I_j scales.
std::vector<double> bessel(double a, int count) {
  std::vector<double> values(static_cast<std::size_t>(count), 0.0);
  const int start = count + 60;
  double above = 0, here = 1e-250, sum = 0;
  for (int j = start; j >= 0; --j) {
    if (j < count) values[static_cast<std::size_t>(j)] = here;
    sum += j == 0 ? here : 2 * here;
    const double below = above + (j == 0 ? 0 : 2 * j / a * here);
    above = here;
    here = below;
    if (here < 1e200) continue;
    for (double& value : values) value *= 1e-200;
    above *= 1e-200;
    here *= 1e-200;
    sum *= 1e-200;
  }
  for (double& value : values) value /= sum;
  return values;
}

}  // namespace

double trapezoid_step(double order, double error) {
  double low = 0.05, high = 20;  // the error grows with the step
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (trapezoid_error(order, middle) > error ? high : low) = middle;
  }
  return low;
}

double Trapezoid::rate(int k) const { return std::exp(k * step); }

double Trapezoid::weight(double order, int k) const { return reflection(order) * step * std::exp(order * k * step); }

double Trapezoid::mass(double order, int k) const { return weight(order, k) / -std::expm1(-order * step); }

double Trapezoid::weight(const Medium& medium, int k) const {
  double sum = 0;
  for (const Term& term : medium)
    if (term.order < 1) sum += term.coefficient * weight(term.order, k);
  return sum;
}

double Trapezoid::mass(const Medium& medium, int k) const {
  double sum = 0;
  for (const Term& term : medium)
    if (term.order < 1) sum += term.coefficient * mass(term.order, k);
  return sum;
}

Trapezoid trapezoid(const std::vector<Medium>& media, const KernelRange& range) {
  Trapezoid rule{HUGE_VAL, 0, 0};
  for (const Medium& medium : media)
    for (const Term& term : medium)
      if (term.order < 1) rule.step = std::min(rule.step, trapezoid_step(term.order, 0.5 * range.eps));
  const auto point_of = [&](double rate) { return static_cast<int>(std::floor(std::log(rate) / rule.step)); };
  rule.last = point_of(1e-2 / range.shortest);
  rule.first = point_of(1e-18 / range.longest);
  for (const Medium& medium : media) {
    const double allowed = 0.2 * range.eps * kernel(medium, range.shortest);
    while (beyond(rule, medium, rule.last, range.shortest) > allowed) ++rule.last;
  }
  return rule;
}

SlowPart slow_part(const Trapezoid& rule, const std::vector<Medium>& media, const KernelRange& range,
                   int degrees_per_node) {
  constexpr int most_degrees = 400;
  SlowPart best{rule.first, 0};
  int least = std::numeric_limits<int>::max();
  const int low = static_cast<int>(std::ceil(std::log(0.01 / range.longest) / rule.step));
  for (int k = low; k <= rule.last && rule.rate(k) * range.longest <= 60; ++k) {
    double share = 0;  // of the slow points in the kernel at the longest distance
    for (const Medium& medium : media) share = std::max(share, rule.mass(medium, k) / kernel(medium, range.longest));
    const std::vector<double> terms = bessel(0.5 * rule.rate(k) * range.longest, most_degrees);
    double rest = 0;
    int degree = most_degrees;
    while (degree > 0 && 4 * share * (rest + terms[static_cast<std::size_t>(degree - 1)]) <= 0.3 * range.eps)
      rest += terms[static_cast<std::size_t>(--degree)];
    const int nodes = (degree + degrees_per_node - 1) / degrees_per_node;
    if (nodes + rule.last - k >= least) continue;
    least = nodes + rule.last - k;
    best = {k, nodes};
  }
  return best;
}

}  // namespace halocline::fractional
