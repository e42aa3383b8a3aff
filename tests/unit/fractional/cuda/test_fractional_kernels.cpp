// The CUDA kernels of family fractional, and forms that hosts have of their own, against the bodies that specify them:
// the same bits. On the host through gpu/block_kernel_host.hpp; with HALOCLINE_ON_GPU the library's kernels on a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "lib/base/array.hpp"
#include "lib/linalg/strips/strips.hpp"
#include "lib/problems/fractional/history/flush_path.hpp"
#include "lib/problems/fractional/history/host_flush.hpp"
#include "lib/problems/fractional/history/series_kernels.hpp"
#include "lib/problems/fractional/history/series_path.hpp"
#include "lib/problems/fractional/step/right_side_path.hpp"
#include "lib/problems/fractional/step/sweep_path.hpp"
#include "tests/unit/fractional/cuda/kernels_on_devices.hpp"
#include "tests/unit/fractional/cuda/right_side_case.hpp"
#include "tests/unit/fractional/cuda/sweep_cases.hpp"

#if !defined(HALOCLINE_ON_GPU)
#include "lib/problems/fractional/cuda/column_sweeps.cu"
#include "lib/problems/fractional/cuda/flush.cu"
#include "lib/problems/fractional/cuda/right_side.cu"
#include "lib/problems/fractional/cuda/row_sweeps.cu"
#include "lib/problems/fractional/cuda/series.cu"
#endif

namespace halocline::fractional {
namespace {

class FractionalKernels : public KernelTest {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FractionalKernels);
INSTANTIATE_TEST_SUITE_P(devices, FractionalKernels, testing::ValuesIn(kernel_devices()), device_word);

// All that a flush reads, fields of T and tables, with the same numbers wherever it lies.
template <class T = double>
class FlushCase {
 public:
  FlushCase(const ExecutorPtr& executor, int terms, int width, Index nodes)
      : executor_(executor), terms_(terms), width_(width), nodes_(nodes) {
    std::mt19937 engine(7);
    std::uniform_real_distribution<double> any(-1, 1);
    std::vector<T> values(static_cast<std::size_t>((width + 1 + terms) * nodes));
    for (T& value : values) convert(static_cast<Computed<T>>(any(engine)), value);
    values_ = make_array(executor, values);
    std::vector<Computed<T>> table(static_cast<std::size_t>(2 * terms * (width + 1)));
    for (auto& value : table) value = static_cast<Computed<T>>(any(engine));
    table_ = make_array(executor, table);
  }
  FlushTablesOf<Computed<T>> tables() const {
    const auto* const at = table_.view().data;
    const Index states = terms_ * width_;
    return {terms_, width_, at + 2 * states, at + 2 * states + terms_, at, at + states};
  }
  SlotsOf<T> slots() { return fields<most_slots>(0, width_); }
  FirstOf<T> first() { return fields<1>(width_, 1); }
  StatesOf<T> states() { return fields<most_states>(width_ + 1, terms_); }
  std::vector<Computed<T>> result() const {
    executor_->synchronize();
    std::vector<Computed<T>> numbers;
    for (const T value : values_.to_host()) convert(value, numbers.emplace_back());
    return numbers;
  }

 private:
  // Halves in units that differ from field to field, and before a flush and behind it.
  template <int Most>
  FieldsOf<T, Most> fields(int from, int count) {
    FieldsOf<T, Most> fields;
    for (int n = 0; n < count; ++n) {
      fields.data[n] = values_.view().data + (from + n) * nodes_;
      if constexpr (std::is_same_v<T, Half>)
        fields.units[n] = {std::ldexp(1.0F, (from + n) % 5 - 3), std::ldexp(1.0F, (from + n) % 3)};
    }
    return fields;
  }
  ExecutorPtr executor_;
  int terms_, width_;
  Index nodes_;
  Array<T, 1> values_;
  Array<Computed<T>, 1> table_;
};

// A node at a time, as the body says.
template <class T = double>
std::vector<Computed<T>> expected_flush(int terms, int width, Index nodes, bool takes) {
  FlushCase<T> expected(make_omp_executor(1), terms, width, nodes);
  SlabLayout slab;
  slab.extent[0] = slab.pitch = slab.plane = nodes;
  slab.extent[1] = 1;
  const FlushBody<most_slots, T> body{{slab},           expected.tables(), expected.slots(),
                                      expected.first(), expected.states(), takes};
  for (Index i = 0; i < nodes; ++i) body(0, i);
  return expected.result();
}

template <class T>
void flush_of_hosts() {
  for (const int width : {1, 3, 4, 6, 16, 64})
    for (const int terms : {0, 1, 4, 7, 192})
      for (const bool takes : {false, true}) {
        constexpr Index nodes = 64 + 24;
        FlushCase<T> got(make_omp_executor(1), terms, width, nodes);
        const HostFlushBody<T> body{got.tables(), got.slots(), got.first(), got.states(), takes, {1, nodes, 0}};
        for (Index n = 0; n < body.tiles().hi[0]; ++n) body(n);
        EXPECT_EQ(got.result(), expected_flush<T>(terms, width, nodes, takes))
            << width << " slots, " << terms << " terms";
      }
}
TEST_P(FractionalKernels, FlushOfHosts) {
  flush_of_hosts<double>();
  flush_of_hosts<Half>();
}

template <class T>
void flush_of_kernels(const ExecutorPtr& executor) {
  for (const int width : {4, 8, 16})
    for (const int terms : {0, 1, 4, 7, 41}) {
      constexpr Index nodes = 4 * 128 + 40;
      FlushCase<T> got(executor, terms, width, nodes);
      ASSERT_TRUE(plan_flush<T>(*executor, terms, width));
      flush<T>(*executor, "flush", got.tables(), got.slots(), got.first(), got.states(), NodeStretches{1, nodes, 0});
      EXPECT_EQ(got.result(), expected_flush<T>(terms, width, nodes, true)) << width << " slots, " << terms << " terms";
    }
}
TEST_P(FractionalKernels, Flush) { flush_of_kernels<double>(executor); }
TEST_P(FractionalKernels, FlushOfFloats) { flush_of_kernels<float>(executor); }
TEST_P(FractionalKernels, FlushOfHalves) { flush_of_kernels<Half>(executor); }

TEST_P(FractionalKernels, FlushRefusesWhatItHasNoCodeFor) {
  EXPECT_FALSE(plan_flush<double>(*executor, 30, 5));
  EXPECT_FALSE(plan_flush<float>(*executor, 30, 32));
}

// Slot, first, decay, into and out of a series, and its states.
class SeriesCase {
 public:
  SeriesCase(const ExecutorPtr& executor, int terms, Index nodes)
      : terms_(terms), nodes_(nodes), states_(executor, {terms * nodes}) {
    std::mt19937 engine(5);
    std::uniform_real_distribution<double> any(0, 1);
    std::vector<double> values(static_cast<std::size_t>(2 * nodes + 3 * terms));
    for (double& value : values) value = to_float(to_half(any(engine)));
    values_ = make_array(executor, values);
    std::vector<Half> states(static_cast<std::size_t>(terms * nodes));
    for (Half& state : states) state = to_half(any(engine));
    states_.assign(states);
  }
  SeriesTiles tiles(bool takes) {
    double* const at = values_.view().data;
    const double* const numbers = at + 2 * nodes_;
    return {at,      at + nodes_,      states_.view().data,  nodes_, nodes_, terms_, takes,
            numbers, numbers + terms_, numbers + 2 * terms_, 0.375};
  }
  std::vector<double> values() const { return values_.to_host(); }
  std::vector<std::uint16_t> states() const {
    std::vector<std::uint16_t> bits;
    for (const Half& state : states_.to_host()) bits.push_back(state.bits);
    return bits;
  }

 private:
  int terms_;
  Index nodes_;
  Array<double, 1> values_;
  Array<Half, 1> states_;
};

// Sums of tensor cores are rounded in an order of their own.
TEST_P(FractionalKernels, SeriesByTiles) {
  constexpr Index nodes = 64 + 48;
  for (const int terms : {16, 48})
    for (const bool takes : {false, true}) {
      SeriesCase got(executor, terms, nodes), expected(make_omp_executor(1), terms, nodes);
      ASSERT_TRUE(plan_series_tiles(*executor, terms));
      series_tiles(*executor, "series", got.tiles(takes));
      const SeriesTiles of = expected.tiles(takes);
      SlabLayout slab;
      slab.extent[0] = slab.pitch = nodes;
      const SeriesStep step{terms, takes, of.decay, of.into, of.out, of.scale};
      SeriesBody<Half, 1>{{slab}, of.slot, of.first, of.states, of.distance, step}.row(0, 0, nodes);
      EXPECT_EQ(got.states(), expected.states());
      const std::vector<double> found = got.values(), wanted = expected.values();
      for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], wanted[i], 1e-5 * std::abs(wanted[i])) << i;
    }
  EXPECT_FALSE(plan_series_tiles(*executor, 17));
}

constexpr Index sweep_rows_tested[] = {1, 3, 4, 6, 17, 70, 130, 257, 300, 513, 1007, 1030, 2050};

template <class Numbers>
void sweeps_across_columns(const ExecutorPtr& executor) {
  using T = typename Numbers::Line;
  using C = typename Numbers::Field;
  for (const Index rows : sweep_rows_tested)
    for (const bool periodic : {false, true}) {
      constexpr Index columns = 16, blocks = 2;
      const strips::LineField field{blocks, columns, rows * columns, columns};
      const auto right = tables_of_line<T>(make_omp_executor(1), rows, strips::TableOrder::by_strip, periodic);
      const auto line = tables_of_line<T>(executor, rows, strips::TableOrder::by_strip, periodic);
      std::vector<T> expected = random_values<T>(blocks * rows * columns);
      std::vector<C> sum = random_values<C>(blocks * rows * columns);
      Array<T, 1> w = make_array(executor, expected), slot = make_array(executor, expected),
                  before = make_array(executor, expected);
      Array<C, 1> c = make_array(executor, sum);
      const std::vector<T> old = expected;
      for (Index j = 0; j < blocks * columns; ++j)
        solve_one(right.line(), expected.data() + field.at(j / columns, 0, j % columns), columns);
      ASSERT_TRUE(plan_sweep<T>(*executor, line.line().layout));
      sweep_columns(*executor, "sweep", line.line(), field, w.view().data);
      const T* const last = periodic ? before.view().data : nullptr;
      sweep_columns(*executor, "sweep", line.line(), field,
                    UpdateOf<Numbers>{c.view().data, last, slot.view().data, 0.75});
      executor->synchronize();
      EXPECT_EQ(w.to_host(), expected) << rows << " rows";
      for (std::size_t n = 0; n < sum.size(); ++n) {
        const UpdateOf<Numbers> update{sum.data(), last == nullptr ? nullptr : old.data(), expected.data(), 0.75};
        update.take(static_cast<Index>(n), expected[n]);
      }
      EXPECT_EQ(c.to_host(), sum) << rows << " rows";
      EXPECT_EQ(slot.to_host(), expected) << rows << " rows";
    }
}
TEST_P(FractionalKernels, SweepsAcrossColumns) { sweeps_across_columns<Fp64>(executor); }
TEST_P(FractionalKernels, SweepsAcrossColumnsOfFloats) { sweeps_across_columns<Fp32>(executor); }
TEST_P(FractionalKernels, SweepsAcrossColumnsOfMixed) { sweeps_across_columns<Mixed>(executor); }

template <class T>
void sweeps_along_rows(const ExecutorPtr& executor) {
  for (const Index rows : sweep_rows_tested)
    for (const bool periodic : {false, true}) {
      const Index lines = 19, distance = (rows + 15) / 16 * 16;
      const auto right = tables_of_line<T>(make_omp_executor(1), rows, strips::TableOrder::by_strip, periodic);
      const auto line = tables_of_line<T>(executor, rows, strips::TableOrder::by_row, periodic);
      std::vector<T> expected = random_values<T>(lines * distance);
      Array<T, 1> w = make_array(executor, expected);
      for (Index l = 0; l < lines; ++l) solve_one(right.line(), expected.data() + l * distance, 1);
      sweep_rows(*executor, "sweep", line.line(), {lines, distance}, w.view().data);
      executor->synchronize();
      EXPECT_EQ(w.to_host(), expected) << rows << " rows";
    }
}
TEST_P(FractionalKernels, SweepsAlongRows) { sweeps_along_rows<double>(executor); }
TEST_P(FractionalKernels, SweepsAlongRowsOfFloats) { sweeps_along_rows<float>(executor); }

TEST_P(FractionalKernels, SweepsRefuseWhatTheyHaveNoCodeFor) {
  EXPECT_FALSE(plan_sweep<double>(*executor, strips::strip_layout(65 * 32)));
  EXPECT_FALSE(plan_sweep<float>(*executor, strips::strip_layout(65 * 32)));
}

template <class Numbers>
void expect_right_side(const ExecutorPtr& executor, Index planes, End z, const PastKind& past) {
  RightSideCase<Numbers> expected(make_omp_executor(1), planes, z, past), got(executor, planes, z, past);
  const auto body = expected.body();
  for (Index line = 0; line < body.slab.lines(); ++line)
    for (Index i = 0; i < body.slab.extent[0]; ++i) body(line, i);
  ASSERT_TRUE(plan_right_side(*executor));
  for (const SlabRows some :
       {SlabRows{0, 1}, SlabRows{1, planes - 1}, SlabRows{std::max<Index>(1, planes - 1), planes}}) {
    auto there = got.body();
    there.box = there.slab.box(some);
    if (some.lo < some.hi) set_right_side(*executor, "right side", there);
  }
  EXPECT_EQ(got.result(), expected.result()) << planes << " planes";
}

TEST_P(FractionalKernels, RightSide) {
  for (const Index planes : {1, 4, 9, 33})
    for (const End z : {End::natural, End::periodic, End::dirichlet}) {
      expect_right_side<Fp64>(executor, planes, z, {});
      expect_right_side<Mixed>(executor, planes, z, {});
    }
}

template <class Numbers>
void right_side_of_any_past(const ExecutorPtr& executor) {
  for (const bool extrapolates : {false, true})
    for (const bool media : {false, true})
      for (const bool numbers : {false, true})
        for (const int increments : {0, 1, 4, 6})
          expect_right_side<Numbers>(executor, 9, End::natural, {extrapolates, media, increments, numbers});
}
TEST_P(FractionalKernels, RightSideOfAnyPast) { right_side_of_any_past<Fp64>(executor); }
TEST_P(FractionalKernels, RightSideOfAnyPastInFloats) { right_side_of_any_past<Fp32>(executor); }
TEST_P(FractionalKernels, RightSideOfAnyPastInMixed) { right_side_of_any_past<Mixed>(executor); }

// Each device contracts products and sums of rows with varying coefficients in its own way.
TEST_P(FractionalKernels, RightSideOfVaryingCoefficients) {
  for (const Index planes : {1, 33}) {
    RightSideCase<Fp64> expected(make_omp_executor(1), planes, End::natural), got(executor, planes, End::natural);
    const auto body = expected.varying_body();
    for (Index line = 0; line < body.slab.lines(); ++line)
      for (Index i = 0; i < body.slab.extent[0]; ++i) body(line, i);
    set_right_side(*executor, "right side", got.varying_body());
    const std::vector<double> a = got.result(), b = expected.result();
    for (std::size_t n = 0; n < a.size(); ++n) ASSERT_NEAR(a[n], b[n], 1e-12 * std::max(1.0, std::abs(b[n])));
  }
}

}  // namespace
}  // namespace halocline::fractional
