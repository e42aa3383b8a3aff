// Half: all 65536 numbers against their meaning, and rounding of floats against the two halves beside them.
#include "lib/base/half.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace halocline {
namespace {

Half half_of(std::uint32_t bits) { return Half{static_cast<std::uint16_t>(bits)}; }

// What IEEE 754 says about a half.
double meaning(std::uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31), fraction = static_cast<int>(bits & 1023);
  const double sign = (bits & 0x8000u) != 0 ? -1 : 1;
  if (exponent == 31) return fraction == 0 ? sign * std::numeric_limits<double>::infinity() : std::nan("");
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

TEST(Half, EveryNumberHasItsMeaningAndComesBack) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const float value = to_float(half_of(bits));
    const double expected = meaning(bits);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(value)) << bits;
      ASSERT_TRUE(std::isnan(to_float(to_half(value)))) << bits;
      continue;
    }
    ASSERT_EQ(static_cast<double>(value), expected) << bits;
    ASSERT_EQ(std::signbit(value), (bits & 0x8000u) != 0) << bits;
    ASSERT_EQ(to_half(value).bits, bits);
    ASSERT_EQ(to_half(expected).bits, bits);
  }
}

// `value` between the halves `low` and the next one.
void expect_nearest(float value, std::uint32_t low) {
  const double below = std::abs(value) - meaning(low);
  const double above = (low == 0x7BFFu ? 65536.0 : meaning(low + 1)) - std::abs(value);
  const std::uint32_t size = below < above || (below == above && low % 2 == 0) ? low : low + 1;
  ASSERT_EQ(to_half(value).bits, size | (std::signbit(value) ? 0x8000u : 0u)) << value;
}

TEST(Half, TiesGoToEven) {
  for (std::uint32_t low = 0; low < 0x7C00u; ++low) {
    const double next = low == 0x7BFFu ? 65536.0 : meaning(low + 1);
    const auto middle = static_cast<float>((meaning(low) + next) / 2);
    for (const float value : {middle, std::nextafter(middle, 0.0F), std::nextafter(middle, 1e9F)}) {
      expect_nearest(value, low);
      expect_nearest(-value, low);
    }
  }
}

TEST(Half, RandomFloatsGoToTheNearest) {
  std::mt19937 random(5);
  for (int n = 0; n < 300000; ++n) {
    const double size = std::exp2(std::uniform_real_distribution<double>(-30, 17)(random));
    const auto value = static_cast<float>(n % 2 == 0 ? size : -size);
    if (size >= 65536) {
      ASSERT_EQ(to_half(value).bits, n % 2 == 0 ? 0x7C00u : 0xFC00u);
      continue;
    }
    std::uint32_t low = 0;  // the last half that is not larger
    for (std::uint32_t step = 0x4000u; step > 0; step /= 2)
      if (low + step < 0x7C00u && meaning(low + step) <= std::abs(value)) low += step;
    expect_nearest(value, low);
  }
}

TEST(Half, BeyondTheRange) {
  EXPECT_EQ(to_half(65519.99F).bits, 0x7BFFu);
  EXPECT_EQ(to_half(65520.0F).bits, 0x7C00u);
  EXPECT_EQ(to_half(-std::numeric_limits<float>::max()).bits, 0xFC00u);
  EXPECT_EQ(to_half(std::numeric_limits<double>::infinity()).bits, 0x7C00u);
  EXPECT_EQ(to_half(std::numeric_limits<float>::denorm_min()).bits, 0u);
  EXPECT_EQ(to_half(-0.0F).bits, 0x8000u);
  EXPECT_EQ(to_half(0x1p-25F).bits, 0u);
  EXPECT_EQ(to_half(std::nextafter(0x1p-25F, 1.0F)).bits, 1u);
}

}  // namespace
}  // namespace halocline
