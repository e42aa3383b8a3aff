#include "lib/problems/fractional/weights/theta.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "lib/problems/fractional/weights/bracketed_newton.hpp"

namespace halocline::fractional {

double alikhanov_theta(const Medium& medium, double step) {
  const auto by_order = [](const Term& a, const Term& b) { return a.order < b.order; };
  const auto [least, most] = std::minmax_element(medium.begin(), medium.end(), by_order);
  if (least->order == most->order) return 0.5 * most->order;
  const double smallest = least->order, largest = most->order;
  std::vector<double> factors;  // in units of step^-largest, which may overflow
  for (const Term& term : medium)
    factors.push_back(term.coefficient / std::tgamma(3 - term.order) * std::pow(step, largest - term.order));
  const auto sum = [&](double x) {
    ValueAndSlope at{0, 0};
    for (std::size_t i = 0; i < medium.size(); ++i) {
      const double order = medium[i].order, distance = x - (1 - 0.5 * order);
      const double power = factors[i] * std::pow(x, -order);
      at.value += power * x * distance;
      at.slope += power * ((1 - order) * distance + x);
    }
    return at;
  };
  const double low = 1 - 0.5 * largest, high = 1 - 0.5 * smallest;
  return 1 - bracketed_newton(low, high, 0.5 * (low + high), sum);
}

OrderWithin order_within(const Levels& levels, const std::function<double(double)>& order, Index l, bool alikhanov) {
  const auto order_at = [&](double theta) {
    const double t = levels.time_within(l, theta), value = order(t);
    if (!(value > 0 && value <= 1))
      throw DeckError("order is " + std::to_string(value) + " at t = " + std::to_string(t) + ", not in (0, 1]");
    return value;
  };
  if (!alikhanov) return {order_at(0), 0};
  // With slope 1 Newton's step is the fixed point's, theta = order/2.
  const double theta = bracketed_newton(0, 0.5, 0.5 * order_at(0.25), [&](double at) {
    return ValueAndSlope{at - 0.5 * order_at(at), 1};
  });
  return {2 * theta, theta};
}

}  // namespace halocline::fractional
