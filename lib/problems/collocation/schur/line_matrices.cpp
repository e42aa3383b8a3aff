#include "lib/problems/collocation/schur/line_matrices.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "lib/base/error.hpp"
#include "lib/problems/collocation/schur/schur_kernels.hpp"

namespace halocline::collocation {

namespace {

using Row = std::array<double, 4>;

constexpr double most_growth = 1e6;

// Gaussian elimination of a line, element by element: rows 2e and 2e+1. Fills the eight factors of schur_kernels.hpp.
struct Elimination {
  double pivot = 1, next = 0;  // of row 2e-1: U(2e-1, 2e-1), U(2e-1, 2e)

  // Terms that cancel in an entry of `row` must not be much larger than the row itself, nor its pivot much smaller.
  static void check(const Row& row, double pivot, std::initializer_list<double> terms) {
    double size = 0, largest = 0;
    for (const double entry : row) size = std::max(size, std::abs(entry));
    for (const double term : terms) largest = std::max(largest, std::abs(term));
    if (!(largest <= most_growth * size) || !(std::abs(pivot) * most_growth * 1e4 > size))
      throw NumericalError(
          "the line factorization of method schur, which does not pivot, loses too many digits with these coefficients "
          "on this mesh (eta > 0, or strong convection along y)");
  }

  std::array<double, 8> element(const Row& even, const Row& odd, bool first) {
    std::array<double, 8> f{};
    f[0] = first ? 0 : even[0] / pivot;  // l(2e, 2e-1)
    f[1] = first ? 0 : odd[0] / pivot;   // l(2e+1, 2e-1)
    const double u00 = even[1] - f[0] * next, u01 = even[2], u02 = even[3];
    f[2] = (odd[1] - f[1] * next) / u00;  // l(2e+1, 2e)
    const double u11 = odd[2] - f[2] * u01, u12 = odd[3] - f[2] * u02;
    check(even, u00, {f[0] * next});
    check(odd, u11, {f[1] * next, f[2] * u00, f[2] * u01, f[2] * u02});
    f[3] = 1 / u00;
    f[4] = u01 / u00;
    f[5] = u02 / u00;
    f[6] = 1 / u11;
    f[7] = u12 / u11;
    pivot = u11;
    next = u12;
    return f;
  }
};

}  // namespace

Row line_matrix_row(const ConstantEquation& equation, double hx, const Axis& y, int k, Index g) {
  const double second = hermite_at_gauss(2, 0)[k - 1] / (hx * hx), value = hermite_at_gauss(0, 0)[k - 1];
  const double sign = k == 4 ? -1 : 1;
  const Row k0 = y.eliminated_row(0, g), k1 = y.eliminated_row(1, g), k2 = y.eliminated_row(2, g);
  Row row;
  for (int m = 0; m < 4; ++m)
    row[m] =
        sign * (equation.a * second * k0[m] + value * (equation.c * k2[m] + equation.e * k1[m] + equation.eta * k0[m]));
  return row;
}

bool runs_downward(const ConstantEquation& equation) { return equation.c > 0 ? equation.e > 0 : equation.e < 0; }

std::vector<double> line_coefficients(const ConstantEquation& equation, double hx, const Axis& y) {
  const bool downward = runs_downward(equation);
  // Row r of A_k in the order of elimination; a line that runs down has rows and columns reversed.
  const auto row = [&](int k, Index r) {
    Row entries = line_matrix_row(equation, hx, y, k, downward ? y.unknowns() - 1 - r : r);
    if (downward) std::reverse(entries.begin(), entries.end());
    return entries;
  };
  std::vector<double> out;
  out.reserve(static_cast<std::size_t>(coefficients_per_element * y.elements()));
  Elimination eliminate[2];
  for (Index e = 0; e < y.elements(); ++e) {
    for (int k = 3; k <= 4; ++k)
      for (Index r = 2 * e; r <= 2 * e + 1; ++r)
        for (double entry : row(k, r)) out.push_back(entry / 2);
    for (int k = 1; k <= 2; ++k) {
      const auto factors = eliminate[k - 1].element(row(k, 2 * e), row(k, 2 * e + 1), e == 0);
      out.insert(out.end(), factors.begin(), factors.end());
    }
  }
  return out;
}

Index warm_up_elements(const std::vector<double>& coefficients) {
  const auto elements = static_cast<Index>(coefficients.size()) / coefficients_per_element;
  const double forgotten = 70 * std::log(0.5);
  Index longest = 1;
  for (const Index matrix : {16, 24})
    for (const bool forward : {true, false}) {
      double sum = 0;  // of the logarithms over the window [first, e]
      Index first = 0;
      const auto logarithm = [&](Index e) {
        const double* f = coefficients.data() + e * coefficients_per_element + matrix;
        return std::log(std::max(std::abs(forward ? f[1] - f[2] * f[0] : f[5] - f[4] * f[7]), 1e-300));
      };
      for (Index e = 0; e < elements; ++e) {
        if (logarithm(e) > 0) return elements;
        sum += logarithm(e);
        while (first < e && sum - logarithm(first) < forgotten) sum -= logarithm(first++);
        // The window that ends here is the shortest one that forgets; at the line's ends starting from zero is right.
        if (sum < forgotten) longest = std::max(longest, e - first + 1);
      }
      if (sum >= forgotten && first == 0) return elements;
    }
  return std::min(longest, elements);
}

}  // namespace halocline::collocation
