// The CUDA kernels of sweeps whose rows have coefficients of their own, against the body that specifies them.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "lib/base/array.hpp"
#include "lib/linalg/strips/strips.hpp"
#include "lib/problems/fractional/step/sweep_path.hpp"
#include "tests/unit/fractional/cuda/kernels_on_devices.hpp"
#include "tests/unit/fractional/cuda/right_side_case.hpp"

#if !defined(HALOCLINE_ON_GPU)
#include "lib/problems/fractional/cuda/own_column_sweeps.cu"
#include "lib/problems/fractional/cuda/own_row_sweeps.cu"
#endif

namespace halocline::fractional {
namespace {

class FractionalOwnSweeps : public KernelTest {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FractionalOwnSweeps);
INSTANTIATE_TEST_SUITE_P(devices, FractionalOwnSweeps, testing::ValuesIn(kernel_devices()), device_word);

// What rows are made of.
struct RowsKind {
  End low, high;
  bool D = true, v = false, nu = false;  // fields, not numbers
  bool harmonic = true, upwind = false;
};
const RowsKind kinds[] = {{End::natural, End::natural},
                          {End::dirichlet, End::natural, true, false, true, false},
                          {End::periodic, End::periodic, true, true, false, true, true},
                          {End::natural, End::dirichlet, false, true, true, false, false}};

// Rows of random numbers, with right-hand sides, delta' and C, in fields that begin with a line of the cache.
template <class Numbers>
class OwnSweepCase {
 public:
  using T = typename Numbers::Line;
  using C = typename Numbers::Field;
  OwnSweepCase(const ExecutorPtr& executor, const RowsKind& kind, Index rows, Index stride, Index values)
      : executor_(executor), layout_(strips::strip_layout(rows)) {
    coefficients_ = make_array(executor, positive(3 * values));
    w_ = make_array(executor, random_values<T>(values));
    before_ = make_array(executor, random_values<T>(values));
    c_ = make_array(executor, random_values<C>(values));
    steps_ = make_array(executor, strips::join_steps(layout_.count));
    const double* const at = coefficients_.view().data;
    const auto value = [&](bool field, Index n) { return NodeValue{field ? at + n * values : nullptr, 0.75}; };
    sweep_.line = {layout_, {steps_.view().data, static_cast<int>(steps_.size())}, kind.low == End::periodic};
    sweep_.rows = {{rows, stride, kind.low, kind.high, false},
                   value(kind.D, 0),
                   value(kind.v, 1),
                   1.25,
                   2,
                   2.5,
                   kind.harmonic,
                   kind.upwind,
                   0.25,
                   0.5};
    sweep_.nu = value(kind.nu, 2);
  }
  const OwnSweep& sweep() const { return sweep_; }
  // Closed ends, nothing that moves, nu Lambda of the order 1e6, right-hand sides 1.
  void stiffen() {
    sweep_.rows.v = {};
    sweep_.rows.transfer_low = sweep_.rows.transfer_high = 0;
    sweep_.rows.cells = 1e3;
    sweep_.rows.mean_scale = sweep_.rows.scale * 1e3;
    w_.assign(std::vector<T>(static_cast<std::size_t>(w_.size()), 1));
  }
  T* w() { return w_.view().data; }
  UpdateOf<Numbers> update(bool extrapolates) {
    return {c_.view().data, extrapolates ? before_.view().data : nullptr, w(), 0.75};
  }
  std::vector<double> result() const {
    executor_->synchronize();
    std::vector<double> all;
    for (const T value : w_.to_host()) all.push_back(static_cast<double>(value));
    for (const C value : c_.to_host()) all.push_back(static_cast<double>(value));
    return all;
  }
  // As the body says, the line whose row 0 is at `at`.
  template <class Result>
  void solve(Index at, const Result& result) {
    const Index stride = sweep_.rows.shape.stride;
    const SweepRows<VaryingAxis, false, T> rows{sweep_.rows, sweep_.nu, w()};
    std::vector<double> ends(static_cast<std::size_t>(6 * (layout_.count + 2)));
    std::vector<strips::EliminatedRow<double>> kept(static_cast<std::size_t>(layout_.rows));
    const auto row = [&](Index i) -> strips::EliminatedRow<double>& { return kept[static_cast<std::size_t>(i)]; };
    strips::solve_own_line<double>(
        sweep_.line, 1, [&](int) { return strips::LocalEnds<double, 3>{ends.data()}; },
        [&](int, Index i) { return rows.template row<double>(at + i * stride, i); },
        [&](int, Index i, const strips::EliminatedRow<double>& of) { row(i) = of; },
        [&](int, Index i) { return row(i); },
        [&](int, Index i, double u) { RoundedResult<T, Result>{result}.take(at + i * stride, u); });
  }

 private:
  static std::vector<double> positive(Index count) {
    std::vector<double> values = random_values(count);
    for (double& value : values) value = 0.125 + std::abs(value);
    return values;
  }
  ExecutorPtr executor_;
  strips::StripLayout layout_;
  OwnSweep sweep_;
  Array<double, 1> coefficients_;
  Array<T, 1> w_, before_;
  Array<C, 1> c_;
  Array<strips::JoinStep, 1> steps_;
};

// Equal bits where one compiler made both; each device contracts products and sums of rows in its own way.
void expect_same(const std::vector<double>& got, const std::vector<double>& expected, double rounding, Index rows) {
#if defined(HALOCLINE_ON_GPU)
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t n = 0; n < got.size(); ++n)
    ASSERT_NEAR(got[n], expected[n], rounding * std::max(1.0, std::abs(expected[n]))) << rows << " rows";
#else
  static_cast<void>(rounding);
  EXPECT_EQ(got, expected) << rows << " rows";
#endif
}
template <class T>
constexpr double rounding = sizeof(T) < sizeof(double) ? 1e-6 : 1e-12;

constexpr Index rows_tested[] = {1, 3, 4, 17, 70, 257, 300, 513, 1007, 1030, 2050};

template <class Numbers>
void own_sweeps_across_columns(const ExecutorPtr& executor) {
  using T = typename Numbers::Line;
  for (const Index rows : rows_tested)
    for (const RowsKind& kind : kinds)
      for (const int update : {0, 1, 2}) {
        constexpr Index columns = 16, blocks = 2;
        const strips::LineField field{blocks, columns, rows * columns, columns};
        OwnSweepCase<Numbers> expected(make_omp_executor(1), kind, rows, columns, blocks * rows * columns);
        OwnSweepCase<Numbers> got(executor, kind, rows, columns, blocks * rows * columns);
        ASSERT_TRUE(plan_own_columns(*executor, got.sweep().line.layout));
        for (Index j = 0; j < blocks * columns; ++j) {
          const Index at = field.at(j / columns, 0, j % columns);
          if (update == 0)
            expected.solve(at, strips::FieldValues<T>{expected.w()});
          else
            expected.solve(at, expected.update(update == 2));
        }
        if (update == 0)
          sweep_columns(*executor, "sweep", got.sweep(), field, got.w());
        else
          sweep_columns(*executor, "sweep", got.sweep(), field, got.update(update == 2));
        expect_same(got.result(), expected.result(), rounding<T>, rows);
      }
}
TEST_P(FractionalOwnSweeps, OwnSweepsAcrossColumns) { own_sweeps_across_columns<Fp64>(executor); }
TEST_P(FractionalOwnSweeps, OwnSweepsAcrossColumnsOfFloats) { own_sweeps_across_columns<Fp32>(executor); }
TEST_P(FractionalOwnSweeps, OwnSweepsAcrossColumnsOfMixed) { own_sweeps_across_columns<Mixed>(executor); }

template <class Numbers>
void own_sweeps_along_rows(const ExecutorPtr& executor) {
  using T = typename Numbers::Line;
  for (const Index rows : rows_tested)
    for (const RowsKind& kind : kinds) {
      const Index lines = 19, distance = (rows + 15) / 16 * 16;
      OwnSweepCase<Numbers> expected(make_omp_executor(1), kind, rows, 1, lines * distance);
      OwnSweepCase<Numbers> got(executor, kind, rows, 1, lines * distance);
      ASSERT_TRUE(plan_own_rows(*executor, got.sweep().line.layout));
      for (Index l = 0; l < lines; ++l) expected.solve(l * distance, strips::FieldValues<T>{expected.w()});
      sweep_rows(*executor, "sweep", got.sweep(), {lines, distance}, got.w());
      expect_same(got.result(), expected.result(), rounding<T>, rows);
    }
}
TEST_P(FractionalOwnSweeps, OwnSweepsAlongRows) { own_sweeps_along_rows<Fp64>(executor); }
TEST_P(FractionalOwnSweeps, OwnSweepsAlongRowsOfFloats) { own_sweeps_along_rows<Fp32>(executor); }

// Rows between closed ends have the sum 1, which floats would lose beside nu Lambda: u = 1.
TEST_P(FractionalOwnSweeps, StiffRowsOfFloatsKeepWhatIsConstant) {
  constexpr Index rows = 513, columns = 16;
  for (const bool across : {false, true}) {
    const Index stride = across ? columns : 1, distance = (rows + 15) / 16 * 16, lines = across ? columns : 1;
    OwnSweepCase<Fp32> got(executor, kinds[0], rows, stride, across ? rows * columns : distance);
    got.stiffen();
    if (across) {
      sweep_columns(*executor, "sweep", got.sweep(), {1, columns, 0, columns}, got.w());
    } else {
      sweep_rows(*executor, "sweep", got.sweep(), {1, distance}, got.w());
    }
    const std::vector<double> u = got.result();
    for (Index n = 0; n < rows * lines; ++n) ASSERT_NEAR(u[static_cast<std::size_t>(n)], 1, 2e-7);
  }
}

TEST_P(FractionalOwnSweeps, OwnSweepsRefuseWhatTheyHaveNoCodeFor) {
  EXPECT_FALSE(plan_own_columns(*executor, strips::strip_layout(65 * 32)));
  EXPECT_FALSE(plan_own_rows(*executor, strips::strip_layout(65 * 32)));
}

}  // namespace
}  // namespace halocline::fractional
