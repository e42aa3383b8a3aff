#include "lib/base/exact_sum.hpp"

#include <cmath>
#include <limits>

namespace halocline {
namespace {

using Words = std::array<std::int64_t, ExactSum::words>;
constexpr int limbs = ExactSum::limbs;
constexpr int plus_infinity = limbs, minus_infinity = limbs + 1, not_a_number = limbs + 2;

// Digits 0 <= d < 2^32 below a signed top limb: the one such form of the sum, so equal sums have equal words.
void propagate(Words& word) {
  std::int64_t carry = 0;
  for (int k = 0; k < limbs - 1; ++k) {
    const std::int64_t sum = word[k] + carry;
    carry = sum >> 32;
    word[k] = sum & 0xffffffff;
  }
  word[limbs - 1] += carry;
}

// Bits [first, first + 64) of the number whose digits are `word`; `first` may be negative.
std::uint64_t bits_from(const Words& word, int first) {
  std::uint64_t bits = 0;
  for (int b = 0; b < 64; ++b) {
    const int position = first + b;
    if (position < 0 || position >= 32 * limbs) continue;
    bits |= static_cast<std::uint64_t>((word[position / 32] >> (position % 32)) & 1) << b;
  }
  return bits;
}

bool any_below(const Words& word, int position) {
  if (position <= 0) return false;
  for (int k = 0; k < position / 32; ++k) {
    if (word[k] != 0) return true;
  }
  const std::int64_t mask = (std::int64_t{1} << (position % 32)) - 1;
  return (word[position / 32] & mask) != 0;
}

// The nearest double, ties to even, of non-negative digits in units of 2^-1074.
double round_to_double(const Words& word) {
  if ((word[limbs - 1] >> 32) != 0) return std::numeric_limits<double>::infinity();
  int top = limbs - 1;
  while (top >= 0 && word[top] == 0) --top;
  if (top < 0) return 0.0;
  const int leading = 32 * top + std::bit_width(static_cast<std::uint64_t>(word[top])) - 1;
  const int lowest = leading > 52 ? leading - 52 : 0;
  std::uint64_t mantissa = bits_from(word, lowest) & ((std::uint64_t{1} << 53) - 1);
  if (lowest > 0) {
    const bool half = (bits_from(word, lowest - 1) & 1) != 0;
    if (half && ((mantissa & 1) != 0 || any_below(word, lowest - 1))) ++mantissa;
  }
  return std::ldexp(static_cast<double>(mantissa), lowest - 1074);
}

}  // namespace

void ExactSum::add(const ExactSum& other) {
  // Limbs of either side may be close to 2^62.
  if (pending_ + other.pending_ >= (1 << 30)) normalize();
  for (int k = 0; k < words; ++k) word_[k] += other.word_[k];
  pending_ += other.pending_ + 1;
  if (pending_ >= (1 << 30)) normalize();
}

double ExactSum::value() const {
  const double infinity = std::numeric_limits<double>::infinity();
  const bool plus = word_[plus_infinity] > 0, minus = word_[minus_infinity] > 0;
  if (word_[not_a_number] > 0 || (plus && minus)) return std::numeric_limits<double>::quiet_NaN();
  if (plus || minus) return plus ? infinity : -infinity;
  Words word = word_;
  propagate(word);
  const bool negative = word[limbs - 1] < 0;
  if (negative) {
    for (int k = 0; k < limbs; ++k) word[k] = -word[k];
    propagate(word);
  }
  const double size = round_to_double(word);
  return negative ? -size : size;
}

void ExactSum::normalize() {
  propagate(word_);
  pending_ = 0;
}

}  // namespace halocline
