// Half: a number of 16 bits (IEEE 754 binary16) to be stored, not computed with: one sign, five exponent and ten
// fraction bits, 6e-8 to 65504.
//
// Conversions use integers alone, or on GPUs the instructions that do the same, so that the same bits come out on every
// processor and device. Narrowing rounds to the nearest, ties to even; beyond 65504 it gives infinity from 65520 on;
// numbers that are none stay none.
#pragma once

#include <cstdint>
#include <cstring>

#include "lib/base/types.hpp"

namespace halocline {

struct Half {
  std::uint16_t bits;
};

namespace detail {

HALOCLINE_HD inline std::uint32_t bits_of(float value) {
#if defined(__CUDA_ARCH__)
  return __float_as_uint(value);
#else
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
#endif
}
HALOCLINE_HD inline float float_of(std::uint32_t bits) {
#if defined(__CUDA_ARCH__)
  return __uint_as_float(bits);
#else
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
#endif
}

}  // namespace detail

/// The number itself: every half is a float.
HALOCLINE_HD inline float to_float(Half half) {
#if defined(__CUDA_ARCH__)
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half.bits));
  return value;
#else
  const std::uint32_t sign = static_cast<std::uint32_t>(half.bits & 0x8000u) << 16;
  const std::uint32_t exponent = half.bits >> 10 & 31u, fraction = half.bits & 0x3FFu;
  if (exponent == 31) return detail::float_of(sign | 0x7F800000u | fraction << 13);
  if (exponent > 0) return detail::float_of(sign | (exponent + 112) << 23 | fraction << 13);
  const float size = static_cast<float>(fraction) * 0x1p-24F;  // below 2^-14: a multiple of 2^-24
  return sign != 0 ? -size : size;
#endif
}

/// The nearest half, of two equally near the one whose last bit is 0.
HALOCLINE_HD inline Half to_half(float value) {
  const std::uint32_t bits = detail::bits_of(value), size = bits & 0x7FFFFFFFu;
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000u);
  const auto signed_bits = [sign](std::uint32_t half) {
    return Half{static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(half))};
  };
  if (size > 0x7F800000u) return signed_bits(0x7E00u | (size >> 13 & 0x3FFu));  // no number; quiet
#if defined(__CUDA_ARCH__)
  std::uint16_t half;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(value));
  return {half};
#else
  if (size >= 0x47800000u) return signed_bits(0x7C00u);  // 65536 and more
  // What is cut off, in units of the last bit that stays: 13 bits, more below 2^-14.
  const std::uint32_t exponent = size >> 23;
  if (exponent < 102) return signed_bits(0);  // below 2^-25, half of the least
  const std::uint32_t fraction = (size & 0x7FFFFFu) | 0x800000u;
  const std::uint32_t cut = exponent > 112 ? 13 : 126 - exponent;
  const std::uint32_t kept = exponent > 112 ? ((exponent - 112) << 10) + (fraction >> 13) - 0x400u : fraction >> cut;
  const std::uint32_t rest = fraction & ((1u << cut) - 1), middle = 1u << (cut - 1);
  const std::uint32_t up = rest > middle || (rest == middle && (kept & 1u) != 0) ? 1 : 0;
  return signed_bits(kept + up);  // a carry enters the exponent, and gives infinity beyond the largest
#endif
}
/// By way of float, rounded twice: at most one half beside the nearest, and that only where a double is that near to
/// the middle of two halves that the float lies on it.
HALOCLINE_HD inline Half to_half(double value) { return to_half(static_cast<float>(value)); }

}  // namespace halocline
