#include "lib/problems/fractional/weights/t_weights.hpp"

#include <cmath>

#include "lib/problems/fractional/weights/gauss.hpp"

namespace halocline::fractional {

namespace {

// int over u in [s/l, (s+1)/l] of (1 - u^gamma)^-order du, what b_s^{(l)} is but for the factor t_l^(1 - gamma order).
class Cell {
 public:
  Cell(double order, double gamma) : order_(order), gamma_(gamma), last_rule_(gauss_power(16, order)) {}

  double integral(Index s, Index l) const {
    const double width = 1 / static_cast<double>(l);
    // Gamma(1/gamma) Gamma(1 - order)/Gamma(1/gamma + 1 - order)/gamma
    if (l == 1) return std::tgamma(1 - order_) * gamma_ratio() / gamma_;
    if (s == 0) return first(width);
    if (s == l - 1) return last(width);
    static const GaussRule rule = gauss_legendre(16);
    double sum = 0;
    for (std::size_t i = 0; i < rule.nodes.size(); ++i) {
      const double u = (static_cast<double>(s) + 0.5 * (1 + rule.nodes[i])) * width;
      sum += rule.weights[i] * std::pow(-std::expm1(gamma_ * std::log(u)), -order_);
    }
    return 0.5 * width * sum;
  }

 private:
  double gamma_ratio() const {
    const double z = 1 / gamma_;
    return z < 100 ? std::tgamma(z) / std::tgamma(z + 1 - order_)
                   : std::exp(std::lgamma(z) - std::lgamma(z + 1 - order_));
  }
  // The binomial series, where u^gamma may be far from smooth.
  double first(double u) const {
    const double q = std::pow(u, gamma_);
    double term = u, sum = u;
    for (int n = 1; term > 1e-18 * sum; ++n) {
      term *= (order_ + n - 1) / n * q;
      sum += term / (n * gamma_ + 1);
    }
    return sum;
  }
  // With v = 1 - u the integrand is v^-order times a smooth function.
  double last(double width) const {
    double sum = 0;
    for (std::size_t i = 0; i < last_rule_.nodes.size(); ++i) {
      const double v = width * last_rule_.nodes[i];
      sum += last_rule_.weights[i] * std::pow(-std::expm1(gamma_ * std::log1p(-v)) / v, -order_);
    }
    return std::pow(width, 1 - order_) * sum;
  }

  double order_, gamma_;
  GaussRule last_rule_;
};

}  // namespace

void t_linear_weights(double order, double gamma, double step, Index l, Index first, std::span<double> weights) {
  const Cell cell(order, gamma);
  // 1/Gamma(1 - order) without its pole's 0/0.
  const double scale =
      std::pow(static_cast<double>(l) * step, 1 - gamma * order) * (1 - order) / (std::tgamma(2 - order) * step);
  for (std::size_t i = 0; i < weights.size(); ++i)
    weights[i] = scale * cell.integral(first + static_cast<Index>(i) - 1, l);
}

}  // namespace halocline::fractional
