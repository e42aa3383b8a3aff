// ExactSum: adds doubles without rounding, so the result does not depend on order, partition or threads.
//
// A fixed-point number wide enough for every double: limb k counts units of 2^(32k - 1074). Limbs are 64-bit and hold
// 32-bit pieces, so 2^31 additions fit before carries must be propagated, and accumulators of several ranks are joined
// by adding their limbs as 64-bit integers. (Kulisch accumulator in the radix form of Neal, "Fast exact summation using
// small and large superaccumulators", arXiv:1505.05571.)
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "lib/base/types.hpp"

namespace halocline {

class ExactSum {
 public:
  static constexpr int limbs = 68;              // 2098 bits of exponent range, 53 of mantissa, carry
  static constexpr int words = limbs + 3;       // and the counts of +inf, -inf and NaN

  void add(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const int exponent = static_cast<int>(bits >> 52) & 0x7ff;
    if (exponent == 0x7ff) return add_special(bits);
    std::uint64_t mantissa = bits & 0xfffffffffffffULL;
    int shift = 0;
    if (exponent > 0) {
      mantissa |= 1ULL << 52;
      shift = exponent - 1;
    }
    const int first = shift >> 5;
    const auto wide = static_cast<unsigned __int128>(mantissa) << (shift & 31);
    const auto low = static_cast<std::int64_t>(static_cast<std::uint64_t>(wide) & 0xffffffffULL);
    const auto middle = static_cast<std::int64_t>(static_cast<std::uint64_t>(wide >> 32) & 0xffffffffULL);
    const auto high = static_cast<std::int64_t>(static_cast<std::uint64_t>(wide >> 64));
    const std::int64_t sign = (bits >> 63) ? -1 : 1;
    word_[first] += sign * low;
    word_[first + 1] += sign * middle;
    word_[first + 2] += sign * high;
    if (++pending_ >= (1 << 30)) normalize();
  }
  // Adds another accumulator.
  void add(const ExactSum& other);
  // The exact sum rounded to nearest; NaN for NaN or inf - inf among the terms.
  double value() const;
  // Propagates carries, so that every limb is below 2^32 in size: to be called before words are added over ranks.
  void normalize();
  std::array<std::int64_t, words>& data() { return word_; }
  const std::array<std::int64_t, words>& data() const { return word_; }

 private:
  void add_special(std::uint64_t bits);
  std::array<std::int64_t, words> word_{};
  int pending_ = 0;
};

}  // namespace halocline
