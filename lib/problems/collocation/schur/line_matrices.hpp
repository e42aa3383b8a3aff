// The pentadiagonal matrices A1 .. A4 along a line for constant coefficients, and their factors.
#pragma once

#include <array>
#include <vector>

#include "lib/problems/collocation/axes/axis.hpp"

namespace halocline::collocation {

// a u_xx + c u_yy + e u_y + eta u = f with constant coefficients (b = d = 0).
struct ConstantEquation {
  double a = 1, c = 1, e = 0, eta = 0;
};

// Row 2e + q of matrix A_k (k = 1 .. 4) over the unknowns 2e-1 .. 2e+2 of the line: with S_p[k] the Hermite
// coefficients at the first Gauss point of an element in x, S_2[k] a / hx^2 K0 + S_0[k] (c K2 + e K1 + eta K0), and A4
// with the opposite sign.
std::array<double, 4> line_matrix_row(const ConstantEquation& equation, double hx, const Axis& y, int k, Index g);

// Whether lines are stored and eliminated from y_max down. Without pivoting, elimination is stable against the
// convection e u_y only in the direction it comes from: for e / c > 0 from above (measured growth 1 instead of up to
// 1e9 where a/hx^2 is small).
bool runs_downward(const ConstantEquation& equation);

// Coefficients in the order of schur_kernels.hpp for every element of a line, from y_max down if runs_downward(). A1
// and A2 are factored without pivoting; throws NumericalError when that would lose more than six digits.
std::vector<double> line_coefficients(const ConstantEquation& equation, double hx, const Axis& y);

// Elements after which the recurrences of the line solves have forgotten where they began: the product of their factors
// over that many elements is below 2^-70 everywhere, in both directions and for both matrices. The length of the line
// when they do not forget within it.
Index warm_up_elements(const std::vector<double>& coefficients);

}  // namespace halocline::collocation
