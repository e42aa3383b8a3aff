// Separability: what the coefficients of a problem depend on, their values along each axis, and resonance.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "lib/problems/collocation/discretization/coefficients.hpp"

namespace halocline::collocation {

struct Dependence {
  bool on_x = false, on_y = false;
};
// Of a, b, c, d, e, eta, as far as the formulas show it.
std::array<Dependence, coefficient_count> dependences(const Formulation& problem);

// Values of coefficient k at the Gauss points of an axis; on the other axis taken at the first Gauss point.
std::vector<double> along_x(const Formulation& problem, int k);
std::vector<double> along_y(const Formulation& problem, int k);

// "needs b = 0", "needs a that does not depend on y": why a method cannot solve the problem that wants some
// coefficients to vanish, or to vary along an axis at most. Letters: 0 zero, c constant, x, y.
std::optional<std::string> not_of_form(const Formulation& problem, const char (&form)[coefficient_count + 1]);

// Why sums mu + nu of two lists of eigenvalues (eta is in one of them) cannot be divided by: "resonance: ..." when
// the least of them is below 1e-12 of the largest number of the lists, which is what rounding may leave of a zero.
// `definite`: no sum can vanish, so that only an exact zero counts; on strongly graded meshes others may be that small.
std::optional<std::string> resonance(std::vector<double> mu, std::vector<double> nu, bool definite);

// Whether eta, constant, and the sides of both axes leave a definite operator.
bool definite_with(const Formulation& problem, double eta);

}  // namespace halocline::collocation
