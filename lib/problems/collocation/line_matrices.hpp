// The pentadiagonal matrices A1 .. A4 along a line for constant coefficients, and their factors.
#pragma once

#include <array>
#include <vector>

#include "lib/problems/collocation/axis.hpp"

namespace halocline::collocation {

// a u_xx + c u_yy + e u_y + eta u = f with constant coefficients (b = d = 0).
struct ConstantEquation {
  double a = 1, c = 1, e = 0, eta = 0;
};

// Row 2e + q of matrix A_k (k = 1 .. 4) over the unknowns 2e-1 .. 2e+2 of the line: with S_p[k] the Hermite
// coefficients at the first Gauss point of an element in x, S_2[k] a / hx^2 K0 + S_0[k] (c K2 + e K1 + eta K0), and A4
// with the opposite sign.
std::array<double, 4> line_matrix_row(const ConstantEquation& equation, double hx, const Axis& y, int k, Index g);

// Coefficients in the order of schur_kernels.hpp for every element of a line. A1 and A2 are factored without pivoting;
// throws NumericalError when a pivot is too small for that.
std::vector<double> line_coefficients(const ConstantEquation& equation, double hx, const Axis& y);

// Elements after which the recurrences of the line solves have forgotten where they began: the product of their factors
// over that many elements is below 2^-70 everywhere, in both directions and for both matrices. The length of the line
// when they do not forget within it.
Index warm_up_elements(const std::vector<double>& coefficients);

}  // namespace halocline::collocation
