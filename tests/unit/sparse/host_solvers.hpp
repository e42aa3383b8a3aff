// Textbook solvers for the small systems of tests, on the host.
#pragma once

#include <cmath>
#include <vector>

#include "tests/unit/sparse/sources.hpp"

namespace halocline::sparse {

inline double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// x += a y
inline void add(std::vector<double>& x, double a, const std::vector<double>& y) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += a * y[i];
}

// BiCGSTAB with Jacobi, Van der Vorst (1992).
inline std::vector<double> solve(const HostMatrix& A, double tolerance = 1e-11) {
  const std::vector<double>& b = A.rhs;
  std::vector<double> x(b.size(), 0.0), r = b, inverse(b.size());
  for (Index i = 0; i < A.rows(); ++i) inverse[static_cast<std::size_t>(i)] = 1 / A.at(i, i);
  const auto scaled = [&](std::vector<double> v) {
    for (std::size_t i = 0; i < v.size(); ++i) v[i] *= inverse[i];
    return v;
  };
  const std::vector<double> r0 = r;
  std::vector<double> p = r, v;
  double rho = dot(r0, r);
  for (int step = 0; step < 3000 && dot(r, r) > tolerance * tolerance * dot(b, b); ++step) {
    const std::vector<double> y = scaled(p);
    v = A.times(y);
    const double alpha = rho / dot(r0, v);
    add(r, -alpha, v);
    const std::vector<double> z = scaled(r), t = A.times(z);
    const double omega = dot(t, r) / dot(t, t);
    add(x, alpha, y);
    add(x, omega, z);
    add(r, -omega, t);
    const double next = dot(r0, r), beta = next / rho * alpha / omega;
    rho = next;
    add(p, -omega, v);
    for (std::size_t i = 0; i < p.size(); ++i) p[i] = r[i] + beta * p[i];
  }
  return x;
}

}  // namespace halocline::sparse
