// Gauss rules on intervals.
#pragma once

#include <vector>

namespace halocline::fractional {

struct GaussRule {
  std::vector<double> nodes;  // ascending
  std::vector<double> weights;
};

// int_{-1}^1 f(x) dx, n points.
GaussRule gauss_legendre(int n);

// int_0^1 v^-power f(v) dv, n points, power < 1.
GaussRule gauss_power(int n, double power);

// The Gauss rule of the symmetric tridiagonal matrix with this diagonal and `off` beside it, one shorter, which stands
// for a measure of total mass `mass`: nodes are eigenvalues, weights the squares of their vectors' first components.
GaussRule gauss_of_matrix(const std::vector<double>& diagonal, const std::vector<double>& off, double mass);

}  // namespace halocline::fractional
