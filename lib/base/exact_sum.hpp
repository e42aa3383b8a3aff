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

#include "lib/base/sums/exact_rounding.hpp"
#include "lib/base/types.hpp"

namespace halocline {

class ExactSum {
 public:
  static constexpr int limbs = exact_rounding::limbs;  // 2098 bits of exponent range and carry
  static constexpr int words = limbs + 3;              // and the counts of +inf, -inf and NaN

  // The pieces of a finite double: value = sign-included (low + 2^32 middle + 2^64 high) units of limb `first`.
  struct Pieces {
    int first;
    std::int64_t low, middle, high;
  };
  HALOCLINE_HD static Pieces split(std::uint64_t bits) {
    const int exponent = static_cast<int>(bits >> 52) & 0x7ff;
    const std::uint64_t mantissa = (bits & 0xfffffffffffffULL) | (exponent > 0 ? 1ULL << 52 : 0);
    const int shift = exponent > 0 ? exponent - 1 : 0;
    const auto wide = static_cast<unsigned __int128>(mantissa) << (shift & 31);
    const std::int64_t sign = (bits >> 63) ? -1 : 1;
    return {shift >> 5, sign * static_cast<std::int64_t>(static_cast<std::uint64_t>(wide) & 0xffffffffULL),
            sign * static_cast<std::int64_t>(static_cast<std::uint64_t>(wide >> 32) & 0xffffffffULL),
            sign * static_cast<std::int64_t>(static_cast<std::uint64_t>(wide >> 64))};
  }
  // The word that counts a value of exponent 0x7ff: +inf, -inf or NaN.
  HALOCLINE_HD static int special(std::uint64_t bits) {
    return (bits & 0xfffffffffffffULL) ? limbs + 2 : limbs + ((bits >> 63) ? 1 : 0);
  }

  void add(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    if ((static_cast<int>(bits >> 52) & 0x7ff) == 0x7ff) {
      ++word_[special(bits)];
      return;
    }
    const Pieces piece = split(bits);
    word_[piece.first] += piece.low;
    word_[piece.first + 1] += piece.middle;
    word_[piece.first + 2] += piece.high;
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
  std::array<std::int64_t, words> word_{};
  int pending_ = 0;
};

}  // namespace halocline
