#include "lib/problems/collocation/discretization/coefficients.hpp"

#include <cmath>
#include <limits>

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

namespace {

// Whether check_coefficients would find nothing: the same conditions without branches, for SIMD registers. Only from a
// value that is not finite does subtracting it not leave 0; a > 0 and a c > b^2 imply c > 0.
bool all_good(const CoefficientColumn& values, bool allow_indefinite) {
  const double *a = values[0].data(), *b = values[1].data(), *c = values[2].data(), *d = values[3].data(),
               *e = values[4].data(), *eta = values[5].data();
  const double most = allow_indefinite ? std::numeric_limits<double>::infinity() : 0;
  int bad = 0;
#pragma omp simd reduction(| : bad)
  for (std::size_t g = 0; g < values[0].size(); ++g) {
    const double spread =
        ((a[g] - a[g]) + (b[g] - b[g])) + ((c[g] - c[g]) + (d[g] - d[g])) + ((e[g] - e[g]) + (eta[g] - eta[g]));
    bad |= !(spread == 0) | !(a[g] > 0) | !(a[g] * c[g] - b[g] * b[g] > 0) | (eta[g] > most);
  }
  return bad == 0;
}

}  // namespace

std::optional<CoefficientFault> check_coefficients(const CoefficientColumn& values, double x, const Axis& y,
                                                   bool allow_indefinite) {
  if (all_good(values, allow_indefinite)) return std::nullopt;
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
