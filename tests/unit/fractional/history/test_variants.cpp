// Engines in the arithmetic of the psi-Caputo CUDA paper: the series against what it is known to lack, all increments
// against their sums, and bodies that take several nodes at a time.
#include <cmath>
#include <cstring>

#include "lib/problems/fractional/history/direct_kernels.hpp"
#include "lib/problems/fractional/history/engine.hpp"
#include "lib/problems/fractional/history/series_kernels.hpp"
#include "lib/problems/fractional/weights/t_weights.hpp"
#include "tests/unit/fields/slab_cases.hpp"

namespace halocline::fractional {
namespace {

constexpr double order = 0.8, power = 0.8, step = 0.0025;

// The increments of t^2.
double increment(Index m) { return step * step * static_cast<double>(2 * m - 1); }

// The history of t^2 at step l, by all weights.
double whole(Index l) {
  std::vector<double> weights(static_cast<std::size_t>(l - 1));
  t_linear_weights(order, power, step, l, 1, weights);
  double sum = 0;
  for (Index m = 1; m < l; ++m) sum += weights[static_cast<std::size_t>(m - 1)] * increment(m);
  return sum;
}

// Steps up to the last of `steps` with the increments of t^2 times a power of two of each node; 1 - H / all of it at
// these steps, the largest and the least of all nodes.
struct Deficits {
  std::vector<double> least, most;
};
Deficits deficits(History<double>& history, const std::vector<Index>& steps) {
  Deficits found;
  const auto of_node = [](Index x) { return std::exp2(x); };  // rounds alike
  for (Index l = 1; l <= steps.back(); ++l) {
    history.begin(l - 1);
    SlabField<double>& slot = history.slot(0);
    if (l == steps[found.least.size()]) {
      found.least.push_back(1e300);
      found.most.push_back(-1e300);
      const double all = whole(l);
      for (int p = 0; p < slot.slabs().parts(); ++p) {
        const std::vector<double> sums = slot.read(p);
        const Index width = slot.layout(p).extent[0];
        for (std::size_t i = 0; i < sums.size(); ++i) {
          const double deficit = 1 - sums[i] / (all * of_node(static_cast<Index>(i) % width));
          found.least.back() = std::min(found.least.back(), deficit);
          found.most.back() = std::max(found.most.back(), deficit);
        }
      }
    }
    fill(slot, [&](Index x, Index, Index) { return increment(l) * of_node(x); });
  }
  return found;
}

SlabCase<double> two_parts(TestDevice device) {
  return {device, 2, some_grid(GridLayout::nodes, {6, 1, 3}), {.halo = 1, .also_alone = true, .pitch = 16}};
}

std::unique_ptr<History<double>> series(const SlabCase<double>& parts, int terms, const Variant& variant) {
  return make_series_history(parts.slabs(), {order, power, terms, step}, variant);
}

class Variants : public testing::TestWithParam<TestDevice> {};

TEST_P(Variants, SeriesLackWhatIsKnown) {
  const SlabCase<double> parts = two_parts(GetParam());
  const std::vector<Index> steps{10, 200};
  for (const auto& [terms, expected] : {std::pair{16, std::pair{4.45e-2, 3.49e-1}}, {64, {2.11e-4, 1.38e-1}}}) {
    const auto fp64 = deficits(*series(parts, terms, {}), steps);
    EXPECT_NEAR(fp64.least[0], expected.first, 5e-3 * expected.first);
    EXPECT_NEAR(fp64.most[1], expected.second, 5e-3 * expected.second);
    const auto fp32 = deficits(*series(parts, terms, {Arithmetic::fp32, 4}), steps);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      EXPECT_NEAR(fp32.least[i], fp64.least[i], 1e-6);
      EXPECT_NEAR(fp32.most[i], fp64.most[i], 1e-6);
    }
  }
}

TEST(HalfSeries, StaysNearIt) {
  const SlabCase<double> parts = two_parts(TestDevice::omp_1);
  const std::vector<Index> steps{10, 200, 2000};
  const auto found = deficits(*series(parts, 16, {Arithmetic::fp16, 2}), steps);
  const double expected[] = {4.45e-2, 3.49e-1, 4.74e-1}, within[] = {1.4e-2, 6e-4, 8e-3};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    EXPECT_NEAR(found.least[i], expected[i], within[i]) << steps[i];
    EXPECT_NEAR(found.most[i], expected[i], within[i]) << steps[i];
  }
}

TEST_P(Variants, AllIncrementsInEveryArithmetic) {
  const SlabCase<double> parts = two_parts(GetParam());
  MeshOptions mesh;
  mesh.steps = 60;
  mesh.end = 60 * step;
  const TimeChange psi{[](double t) { return std::pow(t, power); }, {}};
  const Weights weights(std::make_shared<const Levels>(mesh, psi), {Scheme::l1_t, {{{order, 1}}}, {}, power});
  const std::vector<Index> steps{2, 17, 40, 60};
  const auto exact = deficits(*make_direct_history(parts.slabs(), weights, 1, {}), steps);
  for (const int vector : {1, 2, 4}) {
    const auto of = [&](Arithmetic arithmetic) {
      return deficits(*make_direct_history(parts.slabs(), weights, 1, {arithmetic, vector}), steps);
    };
    const auto fp64 = of(Arithmetic::fp64), fp32 = of(Arithmetic::fp32), fp16 = of(Arithmetic::fp16);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      EXPECT_NEAR(exact.most[i], 0, 1e-13);
      EXPECT_EQ(fp64.least[i], exact.least[i]);
      EXPECT_EQ(fp64.most[i], exact.most[i]);
      EXPECT_NEAR(fp32.most[i], 0, 1e-6);
      EXPECT_NEAR(fp32.least[i], 0, 1e-6);
      EXPECT_NEAR(fp16.most[i], 0, 5e-3);
      EXPECT_NEAR(fp16.least[i], 0, 5e-3);
      EXPECT_GT(std::abs(fp16.most[i]), 1e-6);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Executors, Variants, every_executor(), executor_name);

// What a thread of a GPU does with N neighbors, done on the host, against packs of the host.
constexpr Index pitch = 16;
SlabLayout one_line() {
  SlabLayout slab;
  slab.dimensions = 3;
  slab.extent[0] = 13;
  slab.extent[1] = 1;
  slab.pitch = slab.plane = pitch;
  return slab;
}

template <class Stored, int N>
void take_groups() {
  alignas(64) double slot[pitch], other[pitch];
  alignas(64) Stored states[2][2 * pitch];
  const double decay[] = {1, 0.7}, into[] = {1, 0.3}, out[] = {0.875, 0.625};
  for (int form = 0; form < 2; ++form) {
    double* const target = form == 0 ? slot : other;
    for (Index i = 0; i < pitch; ++i) {
      target[i] = std::sin(static_cast<double>(i));
      convert(static_cast<Computed<Stored>>(0.1 * static_cast<double>(i)), states[form][i]);
      convert(static_cast<Computed<Stored>>(0.3 / static_cast<double>(i + 1)), states[form][pitch + i]);
    }
    alignas(64) double first[pitch] = {};
    const SeriesBody<Stored, N> body{{one_line()}, target, first,
                                     states[form], pitch,  {2, true, decay, into, out, 3.5}};
    if (form == 0) body.row(0, 0, pitch / N);
    for (Index group = 0; group < pitch / N && form == 1; ++group) body(0, group);
    EXPECT_EQ(first[3], std::sin(3.0));
  }
  for (Index i = 0; i < pitch; ++i) EXPECT_EQ(slot[i], other[i]) << i;
  EXPECT_EQ(std::memcmp(states[0], states[1], sizeof states[0]), 0);
}

TEST(NodeValues, GroupsOfAThreadDoAsPacksDo) {
  take_groups<double, 1>();
  take_groups<double, 2>();
  take_groups<double, 4>();
  take_groups<float, 1>();
  take_groups<float, 2>();
  take_groups<float, 4>();
  take_groups<Half, 1>();
  take_groups<Half, 2>();
  take_groups<Half, 4>();
}

template <class Stored, int N>
void sum_groups() {
  alignas(64) double increments[2][pitch], sums[2][pitch];
  const double weights[] = {0.375, 0.8125};
  for (Index i = 0; i < pitch; ++i) {
    increments[0][i] = std::cos(static_cast<double>(i));
    increments[1][i] = 1 / static_cast<double>(i + 1);
    sums[0][i] = sums[1][i] = 0.25 * static_cast<double>(i);
  }
  Slots all;
  all.data[0] = increments[0];
  all.data[1] = increments[1];
  const auto body = [&](double* to) {
    return DirectVariantBody<Stored, N>{{one_line()}, to, all, 2, weights, true, 4};
  };
  body(sums[0]).row(0, 0, pitch / N);
  for (Index group = 0; group < pitch / N; ++group) body(sums[1])(0, group);
  for (Index i = 0; i < pitch; ++i) {
    EXPECT_EQ(sums[0][i], sums[1][i]) << i;
    const double expected = 0.25 * static_cast<double>(i) + 4 * (0.375 * increments[0][i] + 0.8125 * increments[1][i]);
    EXPECT_NEAR(sums[0][i], expected, 4e-3 * (1 + std::abs(expected)));
  }
}

TEST(NodeValues, SumsOfAThreadAreThoseOfPacks) {
  sum_groups<double, 2>();
  sum_groups<double, 4>();
  sum_groups<float, 1>();
  sum_groups<float, 2>();
  sum_groups<float, 4>();
  sum_groups<Half, 1>();
  sum_groups<Half, 2>();
  sum_groups<Half, 4>();
}

}  // namespace
}  // namespace halocline::fractional
