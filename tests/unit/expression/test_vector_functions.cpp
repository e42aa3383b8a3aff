// Functions in SIMD registers against those of the C library in long double, and at special arguments.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "lib/expression/vector_functions.hpp"

namespace halocline {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Case {
  const char* name;
  Operation operation;
  long double (*value)(long double, long double);
  double low, high;  // of the arguments
};

// clang-format off
#define ONE(name) #name, Operation::name, [](long double a, long double) { return std::name(a); }
#define TWO(name, operation) #name, Operation::operation, [](long double a, long double b) { return std::name(a, b); }
const Case cases[] = {
    {ONE(sin), -40, 40},     {ONE(cos), -40, 40},    {ONE(tan), -40, 40},    {ONE(asin), -1, 1},    {ONE(acos), -1, 1},
    {ONE(atan), -20, 20},    {ONE(sinh), -30, 30},   {ONE(cosh), -30, 30},   {ONE(tanh), -5, 5},    {ONE(exp), -200, 200},
    {ONE(log), 1e-9, 10},    {ONE(log10), 1e-9, 10}, {ONE(cbrt), -9, 9},     {ONE(sqrt), 0, 9},
    {ONE(erf), -6, 6},       {ONE(erfc), -6, 26},
    {TWO(pow, power), 0, 8}, {TWO(atan2, atan2), -4, 4}, {TWO(hypot, hypot), -9, 9}};
#undef ONE
#undef TWO
// clang-format on

// Empty where there are no such functions.
std::vector<double> run(Operation operation, const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> to(a.size(), -99);
  const bool done =
      apply_in_registers(operation, to.data(), {a.data(), false}, {b.data(), false}, static_cast<int>(a.size()));
  return done ? to : std::vector<double>{};
}

std::vector<double> between(double low, double high, int count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(low, high);
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(uniform(random));
  return values;
}

TEST(VectorFunctions, AreAccurateToFourUnits) {
  for (const Case& c : cases) {
    const auto a = between(c.low, c.high, 20001, 1), b = between(c.low, c.high, 20001, 2);
    const auto values = run(c.operation, a, b);
    double worst = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const long double exact = c.value(a[i], b[i]);
      const double size = std::abs(static_cast<double>(exact));
      worst =
          std::max(worst, static_cast<double>(std::abs(values[i] - exact) / (std::nextafter(size, infinity) - size)));
    }
    EXPECT_LE(worst, 4) << c.name;
  }
}

TEST(VectorFunctions, SpecialArgumentsGiveTheValuesOfTheScalarFunctions) {
  const double numbers[] = {0,         -0.0,         1,        -1,
                            2,         -2,           0.5,      -3,
                            1e-310,    -1e-310,      4.9e-324, 1e300,
                            -1e300,    1e18,         1e5,      710,
                            709.7,     -745,         -746,     infinity,
                            -infinity, std::nan(""), 1e-20,    100,
                            -100,      1.7e308,      -1.7e308, 1.0000000000000002};
  std::vector<double> a, b;
  for (const double first : numbers)
    for (const double second : numbers) {
      a.push_back(first);
      b.push_back(second);
    }
  for (const Case& c : cases) {
    const auto values = run(c.operation, a, b);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double expected = apply(c.operation, a[i], b[i], 0);
      if (!std::isfinite(expected) || expected == 0) {
        EXPECT_TRUE(std::isnan(expected) ? std::isnan(values[i]) : values[i] == expected)
            << c.name << " of " << a[i] << ", " << b[i] << ": " << values[i];
      } else {
        EXPECT_NEAR(values[i], expected, 1e-15 * std::abs(expected) + 2e-323)
            << c.name << " of " << a[i] << ", " << b[i];
      }
    }
  }
}

TEST(VectorFunctions, ValuesDoNotDependOnTheRestOfTheRow) {
  for (const Case& c : cases) {
    auto a = between(c.low, c.high, 30, 3), b = between(c.low, c.high, 30, 4);
    a[9] = std::nan("");
    const auto whole = run(c.operation, a, b);
    if (whole.empty()) continue;
    for (int first = 0; first < 8; ++first)
      for (int count = 0; count < 10; ++count) {
        std::vector<double> row(a.begin() + first, a.begin() + first + count);
        row.push_back(-99);
        ASSERT_TRUE(apply_in_registers(c.operation, row.data(), {row.data(), false}, {b.data() + first, false}, count));
        EXPECT_EQ(row.back(), -99);
        for (int i = 0; i < count; ++i) {
          const double expected = whole[static_cast<std::size_t>(first + i)];
          ASSERT_TRUE(row[i] == expected || (std::isnan(row[i]) && std::isnan(expected))) << c.name << " " << count;
        }
      }
  }
}

TEST(VectorFunctions, RowsMayBeOneValue) {
  const std::vector<double> a(9, 0.625), b(9, 0.75), one_a{0.625, 9, 9, 9}, one_b{0.75, 9, 9, 9};
  for (const Case& c : cases) {
    const auto whole = run(c.operation, a, b);
    for (const auto& [a_single, b_single] : {std::pair{true, false}, {false, true}, {true, true}}) {
      std::vector<double> to(9);
      const bool done = apply_in_registers(c.operation, to.data(), {a_single ? one_a.data() : a.data(), a_single},
                                           {b_single ? one_b.data() : b.data(), b_single}, 9);
      EXPECT_EQ(done ? to : std::vector<double>{}, whole) << c.name;
    }
  }
}

TEST(VectorFunctions, OtherOperationsAreLeftAlone) {
  for (const Operation operation : {Operation::negate, Operation::abs, Operation::sign, Operation::step, Operation::add,
                                    Operation::divide, Operation::min, Operation::less, Operation::select})
    EXPECT_TRUE(run(operation, {1, 2, 3}, {4, 5, 6}).empty());
}

#if defined(__x86_64__) && defined(__AVX2__) && defined(__GLIBC__)
#if __GLIBC_PREREQ(2, 35)
TEST(VectorFunctions, AreThere) {
  for (const Case& c : cases) EXPECT_FALSE(run(c.operation, {0.5}, {0.5}).empty()) << c.name;
}
#endif
#endif

}  // namespace
}  // namespace halocline
