#include "lib/problems/collocation/discretization/coefficients.hpp"

#include <cmath>

#include "lib/base/format.hpp"

namespace halocline::collocation {

void evaluate_coefficients(const Formulation& problem, double x, const Axis& y, CoefficientColumn& values) {
  std::array<std::span<double>, coefficient_count> results;
  for (int k = 0; k < coefficient_count; ++k) {
    values[k].resize(y.gauss().size());
    results[k] = values[k];
  }
  evaluate_along_y(problem.coefficients, x, y.gauss(), results);
}

std::optional<CoefficientFault> check_coefficients(const CoefficientColumn& values, double x, const Axis& y,
                                                   bool allow_indefinite) {
  for (std::size_t g = 0; g < y.gauss().size(); ++g) {
    const auto fault = [&, at = y.gauss()[g]](int coefficient, const std::string& what) {
      return CoefficientFault{coefficient, x, at, what};
    };
    for (int k = 0; k < coefficient_count; ++k)
      if (!std::isfinite(values[k][g])) return fault(k, "is not finite");
    const double a = values[0][g], b = values[1][g], c = values[2][g], eta = values[5][g];
    if (!(a > 0) || !(c > 0)) {
      return fault(a > 0 ? 2 : 0,
                   formatted("a c - b^2 must be positive for an elliptic equation, and neither a nor c may "
                             "change sign; here a = {:.6g}, c = {:.6g}",
                             a, c));
    }
    if (!(a * c - b * b > 0)) {
      return fault(1, formatted("a c - b^2 must be positive for an elliptic equation; here a = {:.6g}, b = {:.6g}, "
                                "c = {:.6g}",
                                a, b, c));
    }
    if (eta > 0 && !allow_indefinite)
      return fault(5,
                   "must not have the sign of a and c, or the equation may be singular; "
                   "solver.allow_indefinite: true accepts it");
  }
  return std::nullopt;
}

}  // namespace halocline::collocation
