// Steps in flux form by columns of cells, and the shell of cells that walls reach, against the lines of the host: any
// walls, means and shape. On the host through gpu/block_kernel_host.hpp; with HALOCLINE_ON_GPU the library's kernel on
// a GPU, the shell on the host.
#include <gtest/gtest.h>

#include <cmath>

#include "gpu/devices.hpp"
#include "lib/problems/diffusion/steppers/flux_line_kernels.hpp"
#include "lib/problems/diffusion/steppers/flux_passes.hpp"
#include "tests/unit/diffusion/cuda/device_arrays.hpp"
#include "tests/unit/diffusion/host/random_flux.hpp"

#if !defined(HALOCLINE_ON_GPU)
#include "lib/problems/diffusion/steppers/flux_columns.cu"
#endif

namespace halocline::diffusion {
namespace {

template <FaceMean M, int Dimensions>
void step_by_lines(const ConvolveBlock<double>& b, const FluxTerms& f) {
  FluxLines<M, Dimensions> lines{b, f};
  lines.cells = b.box(b.rows());
  std::vector<double> scratch(static_cast<std::size_t>(lines.scratch_of(b, 0)));
  lines.scratch = scratch.data();
  lines(0);
}

class FluxColumns : public testing::TestWithParam<std::string> {
 protected:
  // Bits on the host; GPUs may round otherwise where the host has no fma.
  void expect_near(const std::vector<double>& got, const std::vector<double>& expected) const {
    ASSERT_EQ(got.size(), expected.size());
    const double limit = executor->backend() == Backend::cuda ? 1e-14 : 0;
    for (std::size_t n = 0; n < got.size(); ++n)
      ASSERT_LE(std::abs(got[n] - expected[n]), limit * std::max(1.0, std::abs(expected[n]))) << "value " << n;
  }
  template <FaceMean M, int Dimensions>
  void check(const RandomShape& s, unsigned seed) const {
    SCOPED_TRACE(testing::Message() << s.extent[0] << " x " << s.extent[1] << " x " << s.extent[2] << ", mean "
                                    << static_cast<int>(M) << ", seed " << seed);
    RandomFlux flux(s, seed);
    if (M == FaceMean::constant) flux.terms.D = nullptr;
    ConvolveBlock<double>& b = flux.part.block;
    step_by_lines<M, Dimensions>(b, flux.terms);
    const std::vector<double> expected = flux.part.result(), records = flux.part.records();
    flux.part.clear_records();
    for (Index n = 0; n < b.extent[2] * b.plane; ++n) b.next[n] = 0;

    DeviceArrays arrays(executor);
    const auto [there, mask] = flux.part.placed([&](auto& array, auto* pointer) { return arrays(array, pointer); });
    FluxTerms terms = flux.terms;
    if (terms.D) terms.D = arrays(flux.D, terms.D);
    if (terms.source) terms.source = arrays(flux.source, terms.source);
    const ConvolveMask<double> star{.radius = {1, 1, Dimensions == 3 ? 1 : 0}};
    const Index n = b.slow_extent();
    for (const SlabBox& piece : flux.part.pieces())
      pass_flux(*executor, there, terms, M, make_shell_of(b, star, piece).inner);
    executor->synchronize();
    arrays.bring_back();
    const Shell shell = make_shell(b, star, {0, n});
    EXPECT_EQ(shell.inner.size() + shell.cells(), b.count({0, n}));
    const FluxShellCell<M, Dimensions> cell{b, star, flux.terms, shell};
    for (Index k = 0; k < shell.cells(); ++k) cell(k);
    expect_near(flux.part.result(), expected);
    expect_near(flux.part.records(), records);
  }
  const ExecutorPtr executor = make_executor(GetParam(), 1);
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FluxColumns);
#if defined(HALOCLINE_ON_GPU)
std::vector<std::string> devices() {
  return cuda_device_count() > 0 ? std::vector<std::string>{"cuda:0"} : std::vector<std::string>{};
}
INSTANTIATE_TEST_SUITE_P(cuda, FluxColumns, testing::ValuesIn(devices()));
#else
INSTANTIATE_TEST_SUITE_P(host, FluxColumns, testing::Values("omp:1"));
#endif

TEST_P(FluxColumns, EqualTheLines) {
  ASSERT_TRUE(plan_flux(*executor));
  std::mt19937 random(1);
  const auto draw = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random); };
  for (unsigned n = 0; n < 60; ++n) {
    RandomShape s;
    s.dimensions = n % 3 == 0 ? 2 : 3;
    s.kind = s.dimensions == 2 ? MaskKind::star5 : MaskKind::star7;
    s.extent[0] = n % 5 == 0 ? draw(257, 300) : draw(1, 70);
    s.extent[1] = draw(1, 40);
    s.extent[2] = s.dimensions == 2 ? 1 : draw(1, 40);
    draw_sides(s, draw);
    const bool deep = s.dimensions == 3;
    switch (draw(0, 2)) {
      case 0:
        deep ? check<FaceMean::constant, 3>(s, n) : check<FaceMean::constant, 2>(s, n);
        break;
      case 1:
        deep ? check<FaceMean::harmonic, 3>(s, n) : check<FaceMean::harmonic, 2>(s, n);
        break;
      default:
        deep ? check<FaceMean::arithmetic, 3>(s, n) : check<FaceMean::arithmetic, 2>(s, n);
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace halocline::diffusion
