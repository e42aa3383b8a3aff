#include "lib/problems/fractional/weights/mittag_leffler.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "lib/base/error.hpp"

namespace halocline::fractional {

double mittag_leffler(double order, double x) {
  require(order > 0 && order <= 1 && x >= 0, "mittag_leffler: order in (0, 1], x >= 0");
  constexpr double pi = std::numbers::pi;
  if (order == 1) return std::exp(-x);
  if (x == 0) return 1;
  // sin(pi order)/pi int e^{order y - X e^y}/(e^{2 order y} + 2 e^{order y} cos(pi order) + 1) dy, X = x^{1/order},
  // over all y: the step resolves the strip without poles, of half width `strip`, to e^-38; ends lie where the
  // integrand is e^-45 of its largest value.
  const double log_x = std::log(x) / order;
  const double strip = 0.95 * std::min(0.5 * pi, pi * (1 - order) / order), step = 2 * pi * strip / 38;
  const double high = std::min(std::log(750.0) - log_x, 45 / order), low = std::min(high, 0.0) - 45 / order;
  // sin and cos of pi order from the distance to 1, which keeps the digits of orders near 1.
  const double sine = std::sin(pi * (1 - order)), cosine = -std::cos(pi * (1 - order));
  double sum = 0;
  const auto count = static_cast<long>((high - low) / step);
  for (long i = 0; i <= count; ++i) {
    const double y = high - static_cast<double>(i) * step, power = std::exp(order * y);
    // (p + cos)^2 + sin^2 is the denominator without cancellation.
    const double shifted = power + cosine;
    sum += power * std::exp(-std::exp(y + log_x)) / (shifted * shifted + sine * sine);
  }
  return sine / pi * step * sum;
}

}  // namespace halocline::fractional
