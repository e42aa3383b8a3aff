// Steps in space by tiles of columns, and the shell of cells that walls reach, against the definition of a step: any
// mask, walls and shape. On the host through gpu/block_kernel_host.hpp; with HALOCLINE_ON_GPU the sweep on a GPU.
#include <gtest/gtest.h>

#include <cmath>

#include "gpu/devices.hpp"
#include "lib/problems/diffusion/cuda/fast_paths.hpp"
#include "lib/problems/diffusion/shell_kernels.hpp"
#include "lib/problems/diffusion/sweep.hpp"
#include "tests/unit/diffusion/cuda/device_arrays.hpp"
#include "tests/unit/diffusion/host/random_block.hpp"

#if !defined(HALOCLINE_ON_GPU)
#include "lib/problems/diffusion/cuda/convolve_planes.cu"
#endif

namespace halocline::diffusion {
namespace {

#if defined(HALOCLINE_ON_GPU)
template <class T>
void step(const ExecutorPtr& executor, RandomBlock<T>& part, const SlabBox& cells) {
  DeviceArrays arrays(executor);
  const auto [b, m] = part.placed([&](auto& array, auto* pointer) { return arrays(array, pointer); });
  ASSERT_TRUE(plan_planes(*executor, b, m));
  SweepShape shape;
  shape.dimensions = 3;
  shape.kind = m.kind;
  shape.kernel = KernelChoice::fused;
  make_sweep<T>(shape, *executor)->run_on(*executor, b, m, 1, cells);
  arrays.bring_back();
}
#else
template <MaskKind K, class T>
void pass_shell(const ConvolveBlock<T>& b, const ConvolveMask<T>& m, const Shell& shell) {
  const ShellCell<K, T> body{b, m, 0, shell};
  for (Index n = 0; n < shell.cells(); ++n) body(n);
}

template <class T>
void step(const ExecutorPtr& executor, RandomBlock<T>& part, const SlabBox& cells) {
  ASSERT_TRUE(plan_planes(*executor, part.block, part.mask));
  const Shell shell = make_shell_of(part.block, part.mask, cells);
  EXPECT_EQ(bytes_of_box(part.block, cells, 1) / sizeof(T), static_cast<double>(shell.inner.size() + shell.cells()));
  pass_planes(*executor, part.block, part.mask, shell.inner);
  executor->synchronize();
  dispatch(part.mask.kind, [&](auto kind) { pass_shell<decltype(kind)::value>(part.block, part.mask, shell); });
}
#endif

class ConvolvePlanes : public testing::TestWithParam<std::string> {
 protected:
  // Bits on the host; GPUs may round otherwise where the host has no fma.
  template <class T, class V>
  void expect_near(const std::vector<V>& got, const std::vector<V>& expected) const {
    ASSERT_EQ(got.size(), expected.size());
    const double limit = executor->backend() == Backend::cuda ? sizeof(T) == 8 ? 1e-14 : 1e-6 : 0;
    for (std::size_t n = 0; n < got.size(); ++n)
      ASSERT_LE(std::abs(got[n] - expected[n]), limit * std::max(1.0, std::abs(double(expected[n])))) << "value " << n;
  }
  template <class T>
  void check(const RandomShape& s, unsigned seed) const {
    SCOPED_TRACE(testing::Message() << "kind " << static_cast<int>(s.kind) << ", " << s.extent[0] << " x "
                                    << s.extent[1] << " x " << s.extent[2] << ", seed " << seed);
    RandomBlock<T> part(s, seed);
    const std::vector<T> expected = part.by_definition();
    const std::vector<double> records = part.records();
    part.clear_records();
    for (const SlabBox& piece : part.pieces()) step(executor, part, piece);
    expect_near<T>(part.result(), expected);
    expect_near<T>(part.records(), records);
  }
  const ExecutorPtr executor = make_executor(GetParam(), 1);
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ConvolvePlanes);
#if defined(HALOCLINE_ON_GPU)
std::vector<std::string> devices() {
  return cuda_device_count() > 0 ? std::vector<std::string>{"cuda:0"} : std::vector<std::string>{};
}
INSTANTIATE_TEST_SUITE_P(cuda, ConvolvePlanes, testing::ValuesIn(devices()));
#else
INSTANTIATE_TEST_SUITE_P(host, ConvolvePlanes, testing::Values("omp:1"));
#endif

constexpr MaskKind kinds[] = {MaskKind::box19, MaskKind::box27, MaskKind::cross13, MaskKind::general};

TEST_P(ConvolvePlanes, EqualTheDefinition) {
  std::mt19937 random(1);
  const auto draw = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random); };
  for (unsigned n = 0; n < 80; ++n) {
    RandomShape s;
    s.dimensions = 3;
    s.kind = kinds[n / 2 % 4];
    for (Index& extent : s.extent) extent = draw(2, 24);
    if (n % 4 == 0) s.extent[0] = draw(30, 70);
    for (int axis = 0; axis < 3; ++axis) {
      const bool periodic = draw(0, 2) == 0;
      for (auto& side : s.sides[axis])
        side = axis == 2 && draw(0, 1) == 0 ? WallKind::open : periodic ? WallKind::periodic : WallKind::affine;
    }
    // A side that is periodic has its other end in memory; along z parts have halos there.
    if ((s.sides[2][0] == WallKind::periodic) != (s.sides[2][1] == WallKind::periodic))
      s.sides[2][0] = s.sides[2][1] = WallKind::open;
    if (draw(0, 1) == 0)  // neighbors along y
      for (auto& side : s.sides[1]) side = draw(0, 2) > 0 ? WallKind::open : WallKind::affine;
    s.fixed = draw(0, 1) == 1;
    s.repeat = draw(0, 1) == 0;
    n % 2 == 0 ? check<double>(s, n) : check<float>(s, n);
    if (HasFailure()) return;
  }
}

TEST_P(ConvolvePlanes, HaveNoCodeForWideMasksOfTheUserOrPlanes) {
  RandomShape s;
  s.dimensions = 3, s.kind = MaskKind::general, s.radius = 2, s.extent[2] = 16;
  const RandomBlock<double> wide(s, 1);
  EXPECT_FALSE(plan_planes(*executor, wide.block, wide.mask));
  s.kind = MaskKind::star7, s.radius = 1;
  const RandomBlock<double> star(s, 1);
  EXPECT_FALSE(plan_planes(*executor, star.block, star.mask));
  const RandomBlock<double> plane({}, 1);
  EXPECT_FALSE(plan_planes(*executor, plane.block, plane.mask));
}

}  // namespace
}  // namespace halocline::diffusion
