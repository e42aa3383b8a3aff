#include "lib/problems/fractional/history/series_tables.hpp"

#include <cmath>

#include "lib/base/error.hpp"

namespace halocline::fractional {

SeriesTables series_tables(double order, double gamma, int terms, double step, Index l) {
  require(order > 0 && order < 1 && terms >= 1 && l >= 2, "series_tables: order in (0, 1), from the second step on");
  SeriesTables tables;
  const auto level = static_cast<double>(l);
  // log psi(t_{l-2})/psi(t_{l-1}) and log psi(t_{l-1})/psi(t_l)
  const double before = gamma * std::log((level - 2) / (level - 1)), now = gamma * std::log1p(-1 / level);
  double coefficient = std::pow(level * step, -gamma * order) * (1 - order) / (std::tgamma(2 - order) * step);
  for (int n = 0; n < terms; ++n) {
    tables.decay.push_back(l == 2 ? 0 : std::exp(n * before));
    // int over the cell of (tau/t_{l-1})^(n gamma) dtau = [t_{l-1} - t_{l-2} (t_{l-2}/t_{l-1})^(n gamma)]/(n gamma + 1)
    const double power = n * gamma + 1;
    const double share = l == 2 ? 1 : -std::expm1(power * before / gamma);
    tables.into.push_back((level - 1) * step * share / power);
    tables.out.push_back(coefficient * std::exp(n * now));
    coefficient *= (order + n) / (n + 1);
  }
  return tables;
}

double series_deficit(double order, double gamma, int terms, Index l) {
  // 1 - (1 - y)^order sum_{n < terms} (order)_n/n! y^n
  const double log_y = gamma * std::log1p(-1 / static_cast<double>(l)), y = std::exp(log_y);
  double term = 1, sum = 0;
  for (int n = 0; n < terms; ++n) {
    sum += term;
    term *= (order + n) / (n + 1) * y;
  }
  return 1 - std::pow(-std::expm1(log_y), order) * sum;
}

}  // namespace halocline::fractional
