// Text of numbers: what printf writes, for every kind of double. Digests of texts.

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>

#include "lib/base/digest.hpp"
#include "lib/base/format.hpp"

namespace halocline {
namespace {

using Limits = std::numeric_limits<double>;

std::string printed(const char* form, double value) {
  std::array<char, 400> text{};
  std::snprintf(text.data(), text.size(), form, value);
  return text.data();
}

void expect_as_printed(double value) {
  EXPECT_EQ(brief_text(value), printed("%.6g", value));
  EXPECT_EQ(exact_text(value), printed("%.17g", value));
  EXPECT_EQ(formatted("{:.3g}", value), printed("%.3g", value));
  EXPECT_EQ(formatted("{:.2e}", value), printed("%.2e", value));
  EXPECT_EQ(formatted("{:f}", value), printed("%f", value));
  EXPECT_EQ(formatted("{:.0f}", value), printed("%.0f", value));
  EXPECT_EQ(formatted("{:a}", value), printed("%a", value));
}

TEST(Format, NumbersAreThoseOfPrintf) {
  for (const double value :
       {0.0, 1.0, 0.5, 2.5, 1e5, 999999.5, 1e6, 123456.7, 1e-4, 9.9999995e-5, 1e-5, 0.1, 1e100, 1e-100, Limits::max(),
        Limits::min(), Limits::denorm_min(), Limits::infinity(), Limits::quiet_NaN()}) {
    expect_as_printed(value);
    expect_as_printed(-value);
  }
  std::mt19937_64 bits(11);
  for (int i = 0; i < 20000; ++i) expect_as_printed(std::bit_cast<double>(static_cast<std::uint64_t>(bits())));
}

TEST(Format, ExactTextIsReadBackToTheSameBits) {
  std::mt19937_64 bits(12);
  for (int i = 0; i < 1000; ++i) {
    const double value = std::bit_cast<double>(static_cast<std::uint64_t>(bits()));
    if (value != value) continue;
    EXPECT_EQ(std::strtod(exact_text(value).c_str(), nullptr), value);
    EXPECT_EQ(std::strtod(shortest_text(value).c_str(), nullptr), value);
  }
}

TEST(Digest, IsFowlerNollVo) {
  EXPECT_EQ(digest(""), "cbf29ce484222325");
  EXPECT_EQ(digest("a"), "af63dc4c8601ec8c");
  EXPECT_EQ(digest("foobar"), "85944171f73967e8");
}

TEST(Format, MessagesHaveNoLargestLength) {
  const std::string word(5000, 'x');
  EXPECT_EQ(formatted("{} and {:04}", word, 7), word + " and 0007");
  EXPECT_EQ(formatted("{:016x}", 0xabcULL), "0000000000000abc");
}

}  // namespace
}  // namespace halocline
