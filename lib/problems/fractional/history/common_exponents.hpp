// Exponentials whose rates serve every order of an interval, so that one set of states serves several media or an order
// that varies in time; only weights depend on the order.
//
// As exponents.hpp, but slow exponentials are replaced by those at Chebyshev nodes: the weights that interpolation
// gives are linear in the measure. Some are negative, and small.
#pragma once

#include <vector>

#include "lib/problems/fractional/history/trapezoid.hpp"

namespace halocline::fractional {

class CommonExponents {
 public:
  // For all orders of [smallest, largest], both inside (0, 1).
  CommonExponents(double smallest, double largest, const KernelRange& range);

  const std::vector<double>& rates() const { return rates_; }  // ascending
  // Of the kernel of a medium with orders in the interval; terms of order 1 give nothing.
  std::vector<double> weights(const Medium& medium) const;

 private:
  void shares_at(double rate);
  void add(const Term& term, std::vector<double>& weights) const;

  Trapezoid rule_{};
  SlowPart slow_{};  // its new nodes are the first rates, the points beyond the others
  std::vector<double> rates_;
  std::vector<double> shares_;  // [point][node]: of the points from rule_.first on, after those below, which are at 0
};

}  // namespace halocline::fractional
