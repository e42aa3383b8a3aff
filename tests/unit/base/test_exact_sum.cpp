#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "lib/base/exact_sum.hpp"

namespace halocline {
namespace {

ExactSum sum_of(const std::vector<double>& terms) {
  ExactSum sum;
  for (double term : terms) sum.add(term);
  return sum;
}

bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

std::vector<double> random_terms(std::mt19937_64& random, int count, int spread) {
  std::uniform_real_distribution<double> mantissa(-1, 1);
  std::uniform_int_distribution<int> exponent(-spread, spread);
  std::vector<double> terms(static_cast<std::size_t>(count));
  for (double& term : terms) term = std::ldexp(mantissa(random), exponent(random));
  return terms;
}

// The table holds sums computed with rational numbers (make_exact_sums.py).
TEST(ExactSum, AgreesWithRationalArithmetic) {
  std::ifstream table(HALOCLINE_TEST_DATA "/exact_sums.txt");
  ASSERT_TRUE(table.is_open());
  int cases = 0;
  for (std::string line; std::getline(table, line); ++cases) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    const double expected = std::strtod(word.c_str(), nullptr);
    words >> word;  // the colon
    std::vector<double> terms;
    while (words >> word) terms.push_back(std::strtod(word.c_str(), nullptr));
    const double value = sum_of(terms).value();
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(value)) << line;
    } else {
      EXPECT_TRUE(same_bits(value, expected)) << line << "\ngives " << std::hexfloat << value;
    }
  }
  EXPECT_GT(cases, 150);
}

TEST(ExactSum, EmptyIsPositiveZero) { EXPECT_TRUE(same_bits(ExactSum{}.value(), 0.0)); }

TEST(ExactSum, SameWordsInAnyOrderAndSplit) {
  std::mt19937_64 random(7);
  for (int spread : {2, 60, 900}) {
    std::vector<double> terms = random_terms(random, 5000, spread);
    ExactSum whole = sum_of(terms);
    whole.normalize();
    for (int parts : {1, 2, 7, 100}) {
      std::shuffle(terms.begin(), terms.end(), random);
      std::vector<ExactSum> sums(static_cast<std::size_t>(parts));
      for (std::size_t i = 0; i < terms.size(); ++i) sums[i * sums.size() / terms.size()].add(terms[i]);
      ExactSum joined;
      for (ExactSum& sum : sums) {
        if (random() % 2 == 0) sum.normalize();
        joined.add(sum);
      }
      EXPECT_TRUE(same_bits(joined.value(), whole.value()));
      joined.normalize();
      EXPECT_EQ(joined.data(), whole.data());
    }
  }
}

TEST(ExactSum, NormalizeKeepsValueAndBoundsLimbs) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 50; ++round) {
    ExactSum sum = sum_of(random_terms(random, 200, 300));
    const double before = sum.value();
    sum.normalize();
    EXPECT_TRUE(same_bits(sum.value(), before));
    for (int k = 0; k < ExactSum::limbs; ++k) EXPECT_LT(std::abs(sum.data()[k]), std::int64_t{1} << 32);
  }
}

// Doubling an accumulator adds its terms 2^40 times: far more than fit between two carries.
TEST(ExactSum, CarriesInTimeOverManyTerms) {
  ExactSum sum = sum_of({-1.0, 0x1.fffffffffffffp-1, 3.0});
  const double once = sum.value();
  for (int doubling = 0; doubling < 40; ++doubling) {
    const ExactSum copy = sum;
    sum.add(copy);
  }
  EXPECT_TRUE(same_bits(sum.value(), std::ldexp(once, 40)));
}

TEST(ExactSum, OverflowsFarBeyondTheLargestNumber) {
  ExactSum sum = sum_of({-0x1p1023});
  for (int doubling = 0; doubling < 90; ++doubling) {
    const ExactSum copy = sum;
    sum.add(copy);
  }
  EXPECT_EQ(sum.value(), -std::numeric_limits<double>::infinity());
}

TEST(ExactSum, CountsSpecialValuesThroughAddition) {
  const double infinity = std::numeric_limits<double>::infinity();
  ExactSum plus = sum_of({1.0, infinity}), minus = sum_of({-infinity});
  EXPECT_EQ(plus.value(), infinity);
  EXPECT_EQ(minus.value(), -infinity);
  plus.add(minus);
  EXPECT_TRUE(std::isnan(plus.value()));
}

}  // namespace
}  // namespace halocline
