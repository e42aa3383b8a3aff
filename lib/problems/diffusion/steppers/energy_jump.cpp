#include "lib/problems/diffusion/steppers/energy_jump.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace halocline::diffusion {

std::optional<double> find_jump(const Program& f, const Program& derivative, double low, double high) {
  constexpr std::size_t samples = 1025;
  constexpr double least = 1e-4;  // of the largest |f|: kinks of formulas in pieces may jump by some rounding
  std::vector<double> c(samples), value(samples), slope(samples);
  const double zero = 0;
  const std::span<const double> one(&zero, 1), at[5] = {one, one, one, one, c};
  double largest = 0, jump = 0;
  for (bool first = true;; first = false) {
    for (std::size_t n = 0; n < samples; ++n)
      c[n] = std::lerp(low, high, static_cast<double>(n) / static_cast<double>(samples - 1));
    const std::span<double> values[1] = {value}, slopes[1] = {slope};
    evaluate(f, at, values);
    evaluate(derivative, at, slopes);
    for (std::size_t n = 0; first && n < samples; ++n)
      if (std::isfinite(value[n])) largest = std::max(largest, std::abs(value[n]));
    std::size_t where = 0;
    double most = 0;
    for (std::size_t n = 0; n + 1 < samples; ++n) {
      const double steep = std::max(std::abs(slope[n]), std::abs(slope[n + 1]));
      const double excess = std::abs(value[n + 1] - value[n]) - 2 * (c[n + 1] - c[n]) * steep;
      if (excess > most && std::isfinite(excess)) most = excess, where = n, jump = std::abs(value[n + 1] - value[n]);
    }
    if (!(most > 0)) return std::nullopt;
    const bool finest = c[where] == low && c[where + 1] == high;
    low = c[where], high = c[where + 1];
    if (finest || std::nextafter(low, high) >= high) break;
  }
  return jump > least * largest ? std::optional(high) : std::nullopt;
}

}  // namespace halocline::diffusion
