#include "lib/problems/fractional/history/series_tables.hpp"

#include <cmath>

#include "lib/base/error.hpp"

namespace halocline::fractional {

SeriesTables series_tables(const SeriesKernel& kernel, Index l) {
  const auto& [order, gamma, terms, step] = kernel;
  require(order > 0 && order < 1 && terms >= 1 && l >= 2, "series_tables: order in (0, 1), from the second step on");
  SeriesTables tables;
  const auto level = static_cast<double>(l);
  // log psi(t_{l-2})/psi(t_{l-1}) and log psi(t_{l-1})/psi(t_l)
  const double before = gamma * std::log((level - 2) / (level - 1)), now = gamma * std::log1p(-1 / level);
  tables.scale = std::pow(level * step, -gamma * order) * (1 - order) / std::tgamma(2 - order);
  double coefficient = 1;
  for (int n = 0; n < terms; ++n) {
    tables.decay.push_back(l == 2 ? 0 : std::exp(n * before));
    // The mean over the cell of (tau/t_{l-1})^(n gamma), [t_{l-1} - t_{l-2} (t_{l-2}/t_{l-1})^(n gamma)]/(n gamma + 1)
    // over its length.
    const double power = n * gamma + 1;
    const double share = l == 2 ? 1 : -std::expm1(power * before / gamma);
    tables.into.push_back((level - 1) * share / power);
    tables.out.push_back(coefficient * std::exp(n * now));
    coefficient *= (order + n) / (n + 1);
  }
  return tables;
}

double series_deficit(const SeriesKernel& kernel, Index l) {
  // 1 - (1 - y)^order sum_{n < terms} (order)_n/n! y^n
  const double log_y = kernel.gamma * std::log1p(-1 / static_cast<double>(l)), y = std::exp(log_y);
  double term = 1, sum = 0;
  for (int n = 0; n < kernel.terms; ++n) {
    sum += term;
    term *= (kernel.order + n) / (n + 1) * y;
  }
  return 1 - std::pow(-std::expm1(log_y), kernel.order) * sum;
}

}  // namespace halocline::fractional
