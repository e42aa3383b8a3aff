// Pack<T>, and fma of packs: every operation element by element against scalars.
#include "lib/base/pack.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include "lib/base/fma.hpp"
#include "tests/unit/random_numbers.hpp"

namespace halocline {
namespace {

template <class T>
class PackTest : public testing::Test {
 protected:
  struct alignas(32) Memory {
    std::array<T, lanes> v;
  };
  static Memory numbers(unsigned seed) {
    Memory memory;
    const std::vector<double> random = random_numbers(lanes, seed);
    for (int i = 0; i < lanes; ++i) memory.v[i] = static_cast<T>(random[i]);
    return memory;
  }
  static Pack<T> pack(const Memory& memory) { return load<Pack<T>>(memory.v.data()); }
  static std::array<T, lanes> values(const Pack<T>& p) {
    Memory memory;
    store(memory.v.data(), p);
    return memory.v;
  }
};
using Numbers = testing::Types<double, float>;
TYPED_TEST_SUITE(PackTest, Numbers);

TYPED_TEST(PackTest, ArithmeticIsElementByElement) {
  using T = TypeParam;
  const auto a = this->numbers(1), b = this->numbers(2);
  const Pack<T> p = this->pack(a), q = this->pack(b);
  const auto sum = this->values(p + q), difference = this->values(p - q), product = this->values(p * q);
  const auto scaled = this->values(T{3} * q), by_integer = this->values(3 * q);
  for (int i = 0; i < lanes; ++i) {
    EXPECT_EQ(sum[i], a.v[i] + b.v[i]);
    EXPECT_EQ(difference[i], a.v[i] - b.v[i]);
    EXPECT_EQ(product[i], a.v[i] * b.v[i]);
    EXPECT_EQ(scaled[i], T{3} * b.v[i]);
    EXPECT_EQ(by_integer[i], T{3} * b.v[i]);
  }
}

// Rounded once: the product of 1 + e and 1 - e, less 1, is -e^2, which a product rounded by itself would lose.
TYPED_TEST(PackTest, ProductsAreAddedWithOneRounding) {
  using T = TypeParam;
#if defined(__FP_FAST_FMA)
  const T e = std::numeric_limits<T>::epsilon();
  auto a = this->numbers(1), b = this->numbers(2), c = this->numbers(3);
  a.v[2] = 1 + e, b.v[2] = 1 - e, c.v[2] = -1;
  const auto found = this->values(fma(this->pack(a), this->pack(b), this->pack(c)));
  const auto scaled = this->values(fma(a.v[2], this->pack(b), this->pack(c)));
  for (int i = 0; i < lanes; ++i) {
    EXPECT_EQ(found[i], std::fma(a.v[i], b.v[i], c.v[i]));
    EXPECT_EQ(found[i], fma(a.v[i], b.v[i], c.v[i]));
    EXPECT_EQ(scaled[i], std::fma(a.v[2], b.v[i], c.v[i]));
  }
  EXPECT_EQ(found[2], -e * e);
#else
  GTEST_SKIP() << "products are rounded by themselves where the processor has no such instruction";
#endif
}

TYPED_TEST(PackTest, HoldsEightNumbersWithoutGaps) {
  using T = TypeParam;
  EXPECT_EQ(sizeof(Pack<T>), lanes * sizeof(T));
  const auto a = this->numbers(3);
  Pack<T> p = this->pack(a);
  EXPECT_EQ(this->values(p), a.v);
  const Pack<T>& read = p;
  for (int i = 0; i < lanes; ++i) EXPECT_EQ(lane_of(read, i), a.v[i]);
  lane_of(p, 5) = 42;
  for (int i = 0; i < lanes; ++i) EXPECT_EQ(this->values(p)[i], i == 5 ? T{42} : a.v[i]);
  for (const T value : this->values(zero<Pack<T>>())) EXPECT_EQ(value, 0);
}

TYPED_TEST(PackTest, ClearsLanesFromOneOn) {
  const auto a = this->numbers(4);
  for (const int first : {-1, 0, 3, 8}) {
    const auto cleared = this->values(clear_from(first, 0, this->pack(a)));
    for (int i = 0; i < lanes; ++i) {
      EXPECT_EQ(cleared[i], i < first ? a.v[i] : 0);
      EXPECT_EQ(clear_from(first, i, a.v[i]), cleared[i]) << "as the number that stands for lane " << i;
    }
  }
}

TYPED_TEST(PackTest, WidensToDouble) {
  const auto a = this->numbers(5);
  const Pack<double> wide = widened(this->pack(a));
  for (int i = 0; i < lanes; ++i) EXPECT_EQ(lane_of(wide, i), static_cast<double>(a.v[i]));
}

// On a GPU the same bodies run with numbers.
TYPED_TEST(PackTest, ANumberIsAPackOfOneLane) {
  using T = TypeParam;
  static_assert(is_pack<Pack<T>> && !is_pack<T>);
  static_assert(std::is_same_v<Like<Pack<double>, T>, Pack<T>> && std::is_same_v<Like<double, T>, T>);
  T number = 7;
  EXPECT_EQ(load<T>(&number), 7);
  store(&number, zero<T>());
  EXPECT_EQ(number, 0);
  lane_of(number, 6) = 2;
  EXPECT_EQ(widened(number), 2.0);
}

}  // namespace
}  // namespace halocline
