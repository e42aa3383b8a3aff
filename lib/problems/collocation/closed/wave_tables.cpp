#include "lib/problems/collocation/closed/wave_tables.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "lib/base/error.hpp"
#include "lib/problems/collocation/closed/wave_kernels.hpp"

namespace halocline::collocation {

namespace {

constexpr double root3 = std::numbers::sqrt3;
// Modes that grow by less than exp(this) over the whole axis go as pairs: there waves are up to 1 / this times as large
// as what they make up, pairs up to exp(this) times.
constexpr double least_growth = 1.5;

double p_of(double m) { return m / (2 + m / 6); }
double q_of(double m) { return (4 + 4 * m / 9) / (2 + m / 18); }

}  // namespace

Index wave_strip_length(Index elements) {
  Index length = 2;
  while (length < longest_strip && 4 * length * length <= elements) length *= 2;
  return length;
}

bool only_waves(double a, double c, double eta) { return a * c > 0 && a * eta <= 0; }

WaveRates::WaveRates(const Axis& x, double a, double eta, std::span<const double> values)
    : n_(x.elements()),
      unit_(a / (x.mean_length() * x.mean_length())),
      fixed_{x.condition(End::low).dirichlet(), x.condition(End::high).dirichlet()} {
  for (const double value : values) {
    Mode mode{};
    mode.m = -(eta + value) / unit_;
    require(mode.m >= 0, "waves: a mode oscillates");
    const double p = p_of(mode.m), q = q_of(mode.m);
    mode.t = std::sqrt(p / q);
    mode.s = std::sqrt(p * q);
    mode.r = (1 - mode.t) / (1 + mode.t);
    mode.growth = 2 * std::atanh(mode.t);
    mode.pair = mode.growth * static_cast<double>(n_) < least_growth;
    modes_.push_back(mode);
  }
}

// From the sum and the difference of the two equations of an element, S and D: A grows by e S - d D, B by e S + d D.
std::array<double, 8> WaveRates::numbers(const Mode& mode) const {
  const double m = mode.m, p = p_of(m), q = q_of(m), t2 = p / q;
  if (!mode.pair) {
    const double e = -1 / (2 * unit_ * (2 + m / 6) * mode.s * (1 + mode.t));
    const double d = -1 / (2 * unit_ * (4 * root3 + 4 * root3 / 9 * m) * (1 + mode.t));
    return {mode.r, e + d, e - d, mode.s, 0, 0, 0, 0};
  }
  const double sum = 1 / (unit_ * (2 + m / 6)), difference = 1 / (unit_ * (2 * root3 + root3 / 18 * m));
  const double to_v = 1 / (q * (1 - t2));
  const double own_v = to_v * (sum - difference), next_v = to_v * (sum + difference);
  const auto [c, n] = power(mode, 1);
  return {-1, c, n, p * q, own_v, p * own_v + sum, next_v, p * next_v + sum};
}

std::array<double, 2> WaveRates::power(const Mode& mode, Index elements) const {
  const auto n = static_cast<double>(elements);
  if (!mode.pair) {
    const double power = std::pow(mode.r, n);
    return {power < 1e-290 ? 0 : power, 0};  // products with it have all their digits, or none
  }
  const double growth = n * mode.growth;
  return {std::cosh(growth), mode.s > 0 ? std::sinh(growth) / mode.s : 2 * n / q_of(0)};
}

std::vector<double> WaveRates::rates() const {
  const std::size_t count = modes_.size();
  std::vector<double> table(rate_numbers * count);
  for (std::size_t mode = 0; mode < count; ++mode) {
    const auto all = numbers(modes_[mode]);
    for (std::size_t k = 0; k < all.size(); ++k) table[k * count + mode] = all[k];
  }
  return table;
}

std::vector<double> WaveRates::powers(const std::vector<Index>& elements, Index first, Index count) const {
  std::vector<double> table(2 * elements.size() * static_cast<std::size_t>(count));
  for (std::size_t n = 0; n < elements.size(); ++n)
    for (Index mode = 0; mode < count; ++mode) {
      const auto both = power(modes_[first + mode], elements[n]);
      for (std::size_t k = 0; k < 2; ++k) table[(2 * n + k) * count + mode] = both[k];
    }
  return table;
}

// All strips leave behind what is an element beyond the ends. Waves: what arrives at an end is what leaves the axis
// there, with the sign by which u or u_x vanishes. Pairs: u at the low end is such that nothing is left of u or u_x at
// the high end.
std::vector<double> WaveRates::closing(Index first, Index count) const {
  std::vector<double> table(4 * static_cast<std::size_t>(count));
  for (Index k = 0; k < count; ++k) {
    const Mode& mode = modes_[first + k];
    const auto [c, n] = power(mode, n_);
    std::array<double, 4> numbers{};
    if (mode.pair) {
      const double s2 = mode.s * mode.s;
      const double v = fixed_[0] ? n : c, w = fixed_[0] ? c : s2 * n;  // at the high end, of 1 at the low one
      const auto [back_c, back_n] = power(mode, 1);
      double* const row = numbers.data() + (fixed_[0] ? 2 : 0);
      row[fixed_[1] ? 0 : 1] = -back_c / (fixed_[1] ? v : w);
      row[fixed_[1] ? 1 : 0] = (fixed_[1] ? back_n : s2 * back_n) / (fixed_[1] ? v : w);
    } else {
      const double low = fixed_[0] ? -1 : 1, high = fixed_[1] ? -1 : 1;
      const double rest = mode.r * (1 - low * high * c * c);
      numbers = {low * high * c / rest, low / rest, high / rest, low * high * c / rest};
    }
    for (std::size_t i = 0; i < 4; ++i) table[i * count + k] = numbers[i];
  }
  return table;
}

}  // namespace halocline::collocation
