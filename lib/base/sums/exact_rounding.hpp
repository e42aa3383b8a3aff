// The rounding of exact sums, one text for hosts and GPUs, so that a sum has the same bits wherever it is rounded.
#pragma once

#include <cstdint>
#include <cstring>

#if !defined(__CUDA_ARCH__)
#include <bit>
#endif

#include "lib/base/types.hpp"

namespace halocline::exact_rounding {

constexpr int limbs = 68;  // of ExactSum, in units of 2^(32k - 1074)

HALOCLINE_HD inline double from_bits(std::uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
constexpr std::uint64_t infinity = 0x7ff0000000000000ULL, not_a_number = 0x7ff8000000000000ULL;
constexpr std::uint64_t sign_bit = 1ULL << 63;

HALOCLINE_HD inline int bit_width(std::uint64_t value) {
#if defined(__CUDA_ARCH__)
  return 64 - __clzll(static_cast<long long>(value));
#else
  return static_cast<int>(std::bit_width(value));
#endif
}

// Digits 0 <= d < 2^32 from limb `first` on below a signed limb `last`, which takes the carry of those before it.
template <class Word>
HALOCLINE_HD void propagate(Word* word, int first, int last) {
  std::int64_t carry = 0;
  for (int k = first; k < last; ++k) {
    const std::int64_t sum = static_cast<std::int64_t>(word[k]) + carry;
    carry = sum >> 32;
    word[k] = static_cast<Word>(sum & 0xffffffff);
  }
  word[last] = static_cast<Word>(static_cast<std::int64_t>(word[last]) + carry);
}

// Of the number with digits `word`: bits [at, at + 53), of limbs that there are.
template <class Word>
HALOCLINE_HD std::uint64_t mantissa_from(const Word* word, int at) {
  const int limb = at / 32, shift = at % 32;
  std::uint64_t low = static_cast<std::uint64_t>(word[limb]), high = 0;
  if (limb + 1 < limbs) low |= static_cast<std::uint64_t>(word[limb + 1]) << 32;
  if (limb + 2 < limbs) high = static_cast<std::uint64_t>(word[limb + 2]);
  return ((low >> shift) | (shift > 0 ? high << (64 - shift) : 0)) & ((1ULL << 53) - 1);
}

// Whether a bit of limbs first, first + 1, ... below `at` is set.
template <class Word>
HALOCLINE_HD bool any_below(const Word* word, int first, int at) {
  for (int k = first; k < at / 32; ++k)
    if (word[k] != 0) return true;
  const std::uint64_t mask = (std::uint64_t{1} << (at % 32)) - 1;
  return (static_cast<std::uint64_t>(word[at / 32]) & mask) != 0;
}

// The nearest double, ties to even, of digits from limb `first` to `last`, none negative.
template <class Word>
HALOCLINE_HD std::uint64_t nearest(const Word* word, int first, int last) {
  if (last == limbs - 1 && (static_cast<std::int64_t>(word[last]) >> 32) != 0) return infinity;
  while (last >= first && word[last] == 0) --last;
  if (last < first) return 0;
  const int leading = 32 * last + bit_width(static_cast<std::uint64_t>(word[last])) - 1;
  const int lowest = leading > 52 ? leading - 52 : 0;
  std::uint64_t mantissa = mantissa_from(word, lowest);
  if (lowest > 0) {
    const bool half = (static_cast<std::uint64_t>(word[(lowest - 1) / 32]) >> ((lowest - 1) % 32) & 1) != 0;
    if (half && ((mantissa & 1) != 0 || any_below(word, first, lowest - 1))) ++mantissa;
  }
  // The leading bit of a mantissa adds one to the exponent.
  return lowest >= 2046 ? infinity : (static_cast<std::uint64_t>(lowest) << 52) + mantissa;
}

// The limbs from the first to the last that are not zero; last < 0: none.
struct Used {
  int first, last;
};
template <class Word>
HALOCLINE_HD Used used_limbs(const Word* word) {
  Used used{0, limbs - 1};
  while (used.last >= 0 && word[used.last] == 0) --used.last;
  while (used.first < used.last && word[used.first] == 0) ++used.first;
  return used;
}

// The double nearest to the sum, as ExactSum::value(). `word`: those of ExactSum, as std::int64_t or what atomic
// operations take, with any limbs that ExactSum may have; changed.
template <class Word>
HALOCLINE_HD double rounded(Word* word, const Used& used) {
  const bool plus = word[limbs] != 0, minus = word[limbs + 1] != 0;
  if (word[limbs + 2] != 0 || (plus && minus)) return from_bits(not_a_number);
  if (plus || minus) return from_bits(plus ? infinity : infinity | sign_bit);
  if (used.last < 0) return 0;
  const int first = used.first, last = used.last + 2 < limbs ? used.last + 2 : limbs - 1;  // then a carry is a sign
  propagate(word, first, last);
  const bool negative = static_cast<std::int64_t>(word[last]) < 0;
  if (negative) {
    for (int k = first; k <= last; ++k) word[k] = static_cast<Word>(-static_cast<std::int64_t>(word[k]));
    propagate(word, first, last);
  }
  const std::uint64_t size = nearest(word, first, last);
  return from_bits(negative && size != 0 ? size | sign_bit : size);
}

}  // namespace halocline::exact_rounding
