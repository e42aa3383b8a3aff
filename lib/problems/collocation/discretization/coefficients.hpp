// Coefficients: values of a, b, c, d, e, eta at the Gauss points of a mesh, and what must hold for them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "lib/problems/collocation/formulation.hpp"

namespace halocline::collocation {

// L u = a u_xx + 2 b u_xy + c u_yy + d u_x + e u_y + eta u, in this order wherever six numbers stand together.
constexpr int coefficient_count = 6;
constexpr std::array<const char*, coefficient_count> coefficient_names{"a", "b", "c", "d", "e", "eta"};
// Derivatives (order in x, order in y) they belong to, and the factor of the coefficient.
constexpr int x_order[coefficient_count] = {2, 1, 0, 1, 0, 0};
constexpr int y_order[coefficient_count] = {0, 1, 2, 0, 1, 0};
constexpr double term_factor[coefficient_count] = {1, 2, 1, 1, 1, 1};

// Along a column of Gauss points.
using CoefficientColumn = std::array<std::vector<double>, coefficient_count>;

// At the 2 ny Gauss points of `y`, at the given x.
void evaluate_coefficients(const Formulation& problem, double x, const Axis& y, CoefficientColumn& values);

struct CoefficientFault {
  int coefficient;  // the key to blame, number in coefficient_names
  double x, y;
  std::string what;  // "is not finite", "a c - b^2 must be positive ..."
};

// The first point of a column where a coefficient is not finite, the equation not elliptic with a, c > 0, or eta
// positive although that is not allowed.
std::optional<CoefficientFault> check_coefficients(const CoefficientColumn& values, double x, const Axis& y,
                                                   bool allow_indefinite);

}  // namespace halocline::collocation
