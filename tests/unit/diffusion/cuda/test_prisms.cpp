// Kernels of prisms against the definition of a step: several steps in space, and one of Cahn and Hilliard's equation,
// in one pass over memory, with any walls and shape. On the host through gpu/block_kernel_host.hpp; with
// HALOCLINE_ON_GPU the library's kernels on a GPU.
#include <gtest/gtest.h>

#include <cmath>

#include "gpu/devices.hpp"
#include "lib/problems/diffusion/cuda/fast_paths.hpp"
#include "lib/problems/diffusion/steppers/spinodal_passes.hpp"
#include "tests/unit/diffusion/cuda/device_arrays.hpp"
#include "tests/unit/diffusion/host/random_block.hpp"

#if !defined(HALOCLINE_ON_GPU)
#include "lib/problems/diffusion/cuda/convolve_prisms.cu"
#include "lib/problems/diffusion/steppers/spinodal_prisms.cu"
#endif

namespace halocline::diffusion {
namespace {

std::string sides(const RandomShape& s) {
  std::string text;
  for (const auto& axis : s.sides)
    for (const WallKind side : axis) text += " " + std::to_string(static_cast<int>(side));
  return text;
}

class PrismKernels : public testing::TestWithParam<std::string> {
 protected:
  // Bits on the host; GPUs may round otherwise where the host has no fma.
  template <class T, class V>
  void expect_near(const std::vector<V>& got, const std::vector<V>& expected, const char* what) const {
    ASSERT_EQ(got.size(), expected.size());
    const double limit = executor->backend() == Backend::cuda ? sizeof(T) == 8 ? 1e-14 : 1e-6 : 0;
    for (std::size_t n = 0; n < got.size(); ++n)
      ASSERT_LE(std::abs(got[n] - expected[n]), limit * std::max(1.0, std::abs(double(expected[n]))))
          << what << " " << n;
  }
  template <class T>
  void check(const RandomShape& s, int limit, unsigned seed) const {
    SCOPED_TRACE(testing::Message() << s.extent[0] << " x " << s.extent[1] << " x " << s.extent[2] << ", " << s.steps
                                    << " steps, at most " << limit << " in a pass, seed " << seed
                                    << (s.fixed ? ", held, sides" : ", sides") << sides(s));
    RandomBlock<T> part(s, seed);
    const std::vector<T> expected = part.by_definition();
    const std::vector<double> records = part.records();
    part.clear_records();
    DeviceArrays arrays(executor);
    const auto [b, m] = part.placed([&](auto& array, auto* pointer) { return arrays(array, pointer); });
    ASSERT_GT(plan_prisms(*executor, 3, s.kind), 0);
    const int passes = prism_passes(s.steps, limit);
    const std::vector<SlabBox> pieces = passes == 1 ? part.pieces() : std::vector{b.box(b.rows())};
    for (const SlabBox& piece : pieces) pass_prisms(*executor, b, m, s.steps, limit, piece);
    executor->synchronize();
    arrays.bring_back();
    expect_near<T>(part.result(passes % 2 == 1), expected, "cell");
    expect_near<T>(part.records(), records, "record");
  }
  const ExecutorPtr executor = make_executor(GetParam(), 1);
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PrismKernels);
#if defined(HALOCLINE_ON_GPU)
std::vector<std::string> devices() {
  return cuda_device_count() > 0 ? std::vector<std::string>{"cuda:0"} : std::vector<std::string>{};
}
INSTANTIATE_TEST_SUITE_P(cuda, PrismKernels, testing::ValuesIn(devices()));
#else
INSTANTIATE_TEST_SUITE_P(host, PrismKernels, testing::Values("omp:1"));
#endif

// Sides that blocks have: those that are periodic have their other end in memory.
void draw_sides(RandomShape& s, std::mt19937& random) {
  const auto draw = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random); };
  for (int axis = 0; axis < 3; ++axis) {
    const bool periodic = draw(0, 2) == 0;
    for (auto& side : s.sides[axis])
      side = axis == 2 && draw(0, 1) == 0 ? WallKind::open : periodic ? WallKind::periodic : WallKind::affine;
  }
  if (s.dimensions == 3 && draw(0, 1) == 0)  // neighbors along y
    for (auto& side : s.sides[1]) side = draw(0, 2) > 0 ? WallKind::open : WallKind::affine;
  if (s.sides[2][0] == WallKind::periodic || s.sides[2][1] == WallKind::periodic)
    s.sides[2][0] = s.sides[2][1] = s.steps > 4 ? WallKind::open : WallKind::periodic;
}

// Few warps: tiles of some rows.
void pretend_little_memory() {
#if !defined(HALOCLINE_ON_GPU)
  pretended_limits.shared_bytes = 80 << 10;
#endif
}

TEST_P(PrismKernels, TakeSeveralSteps) {
  pretend_little_memory();
  std::mt19937 random(1);
  const auto draw = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random); };
  for (unsigned n = 0; n < 32; ++n) {
    RandomShape s;
    s.dimensions = 3;
    s.kind = MaskKind::star7;
    s.extent[0] = n % 2 == 0 ? draw(1, 70) : draw(65, 190);
    s.extent[1] = draw(1, 30);
    s.extent[2] = draw(1, 14);
    s.steps = n % 4 == 3 ? draw(5, 7) : 1 + static_cast<int>(n % 4);
    draw_sides(s, random);
    s.fixed = draw(0, 2) == 0;
    s.repeat = draw(0, 1) == 0;
    n % 3 == 0 ? check<float>(s, 4, n) : check<double>(s, n % 4 == 3 ? draw(2, 4) : 4, n);
    if (HasFailure()) return;
  }
}

// By the two bodies.
template <MaskKind K>
std::vector<double> spinodal_by_definition(const RandomBlock<double>& part, const SpinodalMasks& masks) {
  ConvolveBlock<double> b = part.block;
  std::vector<double> mu(static_cast<std::size_t>(b.values())), next(mu.size()), own;
  b.next = next.data() + b.origin();
  double* potential = mu.data() + b.origin();
  const auto each = [&](const SlabBox& box, const auto& body) {
    const bool deep = b.dimensions == 3;
    const Rows planes = deep ? box.rows : Rows{0, 1}, lines = deep ? box.along_y : box.rows;
    for (Index z = planes.lo; z < planes.hi; ++z)
      for (Index y = lines.lo; y < lines.hi; ++y)
        for (Index x = 0; x < b.extent[0]; ++x) body(z, y, x);
  };
  const SlabBox all = b.box(b.rows());
  each(box_of_level(b, masks.inner.radius, all, 0, 2), PotentialBody<K>{b, masks.inner, masks.well, potential});
  each(all, EvolveBody<K>{b, masks.outer, potential});
  each(all, [&](Index z, Index y, Index x) { own.push_back(b.next[b.offset(z, y, x)]); });
  return own;
}

TEST_P(PrismKernels, TakeAStepOfCahnAndHilliard) {
  pretend_little_memory();
  std::mt19937 random(2);
  const auto draw = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random); };
  for (unsigned n = 0; n < 16; ++n) {
    RandomShape s;
    s.dimensions = n % 2 == 0 ? 3 : 2;
    s.kind = s.dimensions == 3 ? MaskKind::star7 : n % 4 == 1 ? MaskKind::star5 : MaskKind::star5_xy;
    s.extent[0] = n % 3 == 0 ? draw(2, 70) : draw(65, 150);
    s.extent[1] = draw(2, 30);
    s.extent[2] = s.dimensions == 3 ? draw(2, 14) : 1;
    s.steps = 2;
    draw_sides(s, random);
    if (s.dimensions == 2) std::swap(s.sides[1], s.sides[2]);
    SCOPED_TRACE(testing::Message() << "seed " << n << ", sides" << sides(s));
    RandomBlock<double> part(s, n);
    for (auto& axis : part.block.walls)  // without records, at rest
      for (auto& wall : axis) wall.uptake = wall.carry = nullptr, wall.beta_level = 0;
    ASSERT_TRUE(plan_spinodal(*executor, s.kind));
    const DoubleWell well{0.5, 0.3, 0.7};
    ConvolveMask<double> outer = part.mask;
    for (double& k : outer.k) k *= 0.25;
    const SpinodalMasks masks{part.mask, outer, well};
    const std::vector<double> expected =
        s.kind == MaskKind::star7   ? spinodal_by_definition<MaskKind::star7>(part, masks)
        : s.kind == MaskKind::star5 ? spinodal_by_definition<MaskKind::star5>(part, masks)
                                    : spinodal_by_definition<MaskKind::star5_xy>(part, masks);
    DeviceArrays arrays(executor);
    const auto [b, m] = part.placed([&](auto& array, auto* pointer) { return arrays(array, pointer); });
    for (const SlabBox& piece : part.pieces()) pass_spinodal(*executor, b, {m, outer, well}, piece);
    executor->synchronize();
    arrays.bring_back();
    expect_near<double>(part.result(), expected, "cell");
    if (HasFailure()) return;
  }
}

TEST_P(PrismKernels, RefuseWhatTheyHaveNoCodeFor) {
  EXPECT_EQ(plan_prisms(*executor, 3, MaskKind::box27), 0);
  EXPECT_EQ(plan_prisms(*executor, 2, MaskKind::star5), 0);
  EXPECT_FALSE(plan_spinodal(*executor, MaskKind::box9));
}

}  // namespace
}  // namespace halocline::diffusion
