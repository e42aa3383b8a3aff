#include "lib/problems/diffusion/reactions/bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace halocline::diffusion {

namespace {

// Units of the fields in which no entry beside the diagonal is larger than it has to be (E. Osborne, 1960). What a
// field does to others alone, or they to it, changes no eigenvalue.
void balance(ReactionRates& a, std::size_t n) {
  constexpr int sweeps = 50;
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (std::size_t f = 0; f < n; ++f) {
      double row = 0, column = 0;
      for (std::size_t g = 0; g < n; ++g)
        if (g != f) row = std::max(row, a[f * n + g]), column = std::max(column, a[g * n + f]);
      const double factor = row > 0 && column > 0 ? std::sqrt(column) / std::sqrt(row) : 0;
      for (std::size_t g = 0; g < n; ++g)
        if (g != f) {
          a[f * n + g] = factor > 0 ? a[f * n + g] * factor : 0;
          a[g * n + f] = factor > 0 ? a[g * n + f] / factor : 0;
        }
    }
}

}  // namespace

// The power method from positive vectors: max_f (A v)_f / v_f is never below the largest eigenvalue of a matrix without
// negative entries (L. Collatz, 1942), and falls to it. A shift keeps ratios from going round in circles.
double fastest_rate(int fields, const ReactionRates& decay, std::span<const double> diffusion) {
  constexpr int most_rounds = 500;
  constexpr double close = 1e-9;
  const auto n = static_cast<std::size_t>(fields);
  ReactionRates a = decay;
  for (std::size_t f = 0; f < n; ++f) {
    if (!std::isfinite(diffusion[f])) return std::numeric_limits<double>::infinity();
    a[f * n + f] += diffusion[f];
  }
  balance(a, n);
  const double shift = *std::max_element(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(n * n));
  if (shift == 0) return 0;
  std::array<double, most_fields> v{}, next{};
  std::fill_n(v.begin(), n, 1.0);
  double bound = std::numeric_limits<double>::infinity();
  for (int round = 0; round < most_rounds; ++round) {
    double low = std::numeric_limits<double>::infinity(), high = 0, largest = 0;
    for (std::size_t f = 0; f < n; ++f) {
      next[f] = shift * v[f];
      for (std::size_t g = 0; g < n; ++g) next[f] += a[f * n + g] * v[g];
      low = std::min(low, next[f] / v[f]);
      high = std::max(high, next[f] / v[f]);
      largest = std::max(largest, next[f]);
    }
    bound = std::min(bound, high - shift);
    if (high - low <= close * high) break;
    // Not below what can still be divided by: of fields that do not act on others.
    for (std::size_t f = 0; f < n; ++f) v[f] = std::max(next[f] / largest, 1e-150);
  }
  return bound;
}

}  // namespace halocline::diffusion
