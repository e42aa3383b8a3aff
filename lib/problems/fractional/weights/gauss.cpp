#include "lib/problems/fractional/weights/gauss.hpp"

#include <cmath>
#include <numbers>

#include "lib/linalg/lapack.hpp"

namespace halocline::fractional {

GaussRule gauss_legendre(int n) {
  GaussRule rule{std::vector<double>(static_cast<std::size_t>(n)), std::vector<double>(static_cast<std::size_t>(n))};
  for (int i = 0; i < n; ++i) {
    long double x = -std::cos(std::numbers::pi_v<long double> * (i + 0.75L) / (n + 0.5L)), slope = 1;
    for (int iteration = 0; iteration < 8; ++iteration) {
      long double before = 1, value = x;
      for (int k = 2; k <= n; ++k) {
        const long double next = ((2 * k - 1) * x * value - (k - 1) * before) / k;
        before = value;
        value = next;
      }
      slope = n * (before - x * value) / (1 - x * x);
      x -= value / slope;
    }
    rule.nodes[static_cast<std::size_t>(i)] = static_cast<double>(x);
    rule.weights[static_cast<std::size_t>(i)] = static_cast<double>(2 / ((1 - x * x) * slope * slope));
  }
  return rule;
}

GaussRule gauss_of_matrix(const std::vector<double>& diagonal, const std::vector<double>& off, double mass) {
  const std::size_t n = diagonal.size();
  std::vector<double> matrix(n * n, 0.0), unit(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    matrix[i * n + i] = diagonal[i];
    unit[i * n + i] = 1;
    if (i + 1 < n) matrix[i * n + i + 1] = matrix[(i + 1) * n + i] = off[i];
  }
  PencilEigenvalues solved = solve_pencil(static_cast<Index>(n), std::move(matrix), std::move(unit), 1);
  GaussRule rule{std::move(solved.values), {}};
  for (std::size_t j = 0; j < n; ++j) rule.weights.push_back(mass * solved.vectors[j * n] * solved.vectors[j * n]);
  return rule;
}

GaussRule gauss_power(int n, double power) {
  // Jacobi polynomials of weight (1 + x)^-power on [-1, 1], moved to v = (1 + x)/2.
  const double b = -power;
  std::vector<double> diagonal, off;
  for (int k = 0; k < n; ++k) {
    const double q = 2 * k + b;
    diagonal.push_back(0.5 + 0.5 * (k == 0 ? b / (b + 2) : b * b / (q * (q + 2))));
    const double p = 2 * (k + 1) + b;
    off.push_back(0.5 * 2 * (k + 1) * (k + 1 + b) / (p * std::sqrt((p + 1) * (p - 1))));
  }
  off.pop_back();
  return gauss_of_matrix(diagonal, off, 1 / (1 - power));
}

}  // namespace halocline::fractional
