// Fields of halves: units by which nothing overflows, and accuracy far below a bound.
#include <cmath>

#include "lib/problems/fractional/storage/stored_field.hpp"
#include "tests/unit/fields/slab_cases.hpp"

namespace halocline::fractional {
namespace {

constexpr Index pitch = 16;

class HalfFields : public testing::Test {
 protected:
  // What becomes of a value, of a pack and of a number, in a field for values up to `bound`.
  float kept(double bound, float value) {
    field_.aim(bound);
    alignas(64) float values[pitch];
    std::fill_n(values, pitch, value);
    const auto store = fields_of<Half, 1>({&field_, 1}, 0);
    const Pack<float> returned = store.store(0, 0, load<Pack<float>>(values));
    field_.settle();
    const auto of = fields_of<Half, 1>({&field_, 1}, 0);
    const auto pack = of.load<Pack<float>>(0, 0);
    EXPECT_EQ(lane_of(pack, 5), lane_of(returned, 5));
    EXPECT_EQ(lane_of(pack, 5), of.load<float>(0, 5));
    store.store(0, 5, value);
    EXPECT_EQ(lane_of(pack, 5), of.load<float>(0, 5));
    return of.load<float>(0, 5);
  }

 private:
  SlabCase<float> slabs_{TestDevice::omp_1, 1, some_grid(GridLayout::nodes, {15, 1, 3}), SlabRules{}};
  HalfField field_{slabs_.slabs()};
};

TEST_F(HalfFields, HoldWhatTheirBoundAllows) {
  for (const double bound : {1e-37, 3e-12, 0.5, 1.0, 1.99999, 7e8, 1e38})
    for (const double share : {1.0, -1.0, 1e-3, -1e-6}) {
      const auto value = static_cast<float>(share * bound);
      EXPECT_NEAR(kept(bound, value), value, std::ldexp(std::abs(value), -11)) << bound << " " << share;
    }
}

TEST_F(HalfFields, LoseLittleFarBelowTheirBound) {
  for (const double share : {1e-9, 1e-12}) EXPECT_NEAR(kept(3, static_cast<float>(3 * share)), 3 * share, 4e-12);
}

TEST_F(HalfFields, TakeBoundsThatAreNone) {
  EXPECT_EQ(kept(0, 0), 0);
  EXPECT_EQ(kept(std::nan(""), 1), 1);
  EXPECT_EQ(kept(HUGE_VAL, 1e38F), kept(1e38, 1e38F));
  EXPECT_EQ(kept(1e-300, 0), 0);
  EXPECT_TRUE(std::isinf(kept(1, HUGE_VALF)));
}

}  // namespace
}  // namespace halocline::fractional
