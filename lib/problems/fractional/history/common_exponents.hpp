// Exponentials whose rates serve every order of an interval, so that one set of states serves several media or an order
// that varies in time; only weights depend on the order.
//
// As exponents.hpp, but slow exponentials are replaced by those at Chebyshev nodes: the weights that interpolation
// gives are linear in the measure. Some are negative, and small.
#pragma once

#include <vector>

#include "lib/problems/fractional/history/exponents.hpp"

namespace halocline::fractional {

class CommonExponents {
 public:
  // For all orders of [smallest, largest], both inside (0, 1).
  CommonExponents(double smallest, double largest, const KernelRange& range);

  const std::vector<double>& rates() const { return rates_; }  // ascending
  // Of the kernel of a medium with orders in the interval; terms of order 1 give nothing.
  std::vector<double> weights(const Medium& medium) const;

 private:
  std::vector<double> order_weights(double order) const;  // of s^-order / Gamma(1 - order)

  double step_;                      // h of the trapezoidal rule
  int slow_;                         // Chebyshev nodes, the first rates
  std::vector<int> tail_;            // trapezoidal points k that the Chebyshev nodes replace, descending
  std::vector<double> shares_;       // [point][node]: Lagrange polynomials of the nodes there
  std::vector<double> rest_shares_;  // the same at 0, for all points below
  std::vector<int> fast_;            // trapezoidal points that stay
  std::vector<double> rates_;
};

}  // namespace halocline::fractional
