// Products of distributed matrices in every format against sums over the whole matrix, and their bits on any partition.
#include "lib/linalg/sparse/dist_matrix.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/linalg/sparse/sparse_cases.hpp"
#include "tests/unit/random_numbers.hpp"

namespace halocline::sparse {
namespace {

constexpr Index size = 2900;

// Rows of 0 to `longest` entries, and some rows of far more.
WholeMatrix uneven_matrix(int longest, bool long_rows, unsigned seed) {
  WholeMatrix whole = random_matrix(size, size, longest, seed);
  std::mt19937 random(seed);
  for (const Index row : {Index{3}, Index{130}, Index{131}, Index{2047}, Index{2899}})
    for (Index j = 0; long_rows && j < size; j += row % 3 + 1)
      whole.rows[static_cast<std::size_t>(row)][j] = static_cast<double>(random()) * 1e-9;
  return whole;
}

// x, b and w of a test, natural order, all rows.
struct Numbers {
  std::vector<double> x = random_numbers(size, 1), b = random_numbers(size, 2), w = random_numbers(size, 3);
};

// What a matrix does on some layout; vectors whole, in natural order.
struct Results {
  std::vector<double> product, residual, with_dots, with_energy, with_energy_sums, with_step;
  Dots dots, energy;
  EnergySums energy_sums, without_last;
  StepSums step;
};

class Layout {
 public:
  Layout(const Devices& devices, Partition partition, const WholeMatrix& whole, const MatrixFormat& format)
      : team_(devices.team),
        rows_(devices.space(std::move(partition))),
        matrix_(distribute(whole, rows_, rows_), format) {}

  const DistMatrix& matrix() const { return matrix_; }
  Vector<double> enter(const std::vector<double>& all) const {
    std::vector<Array<double, 1>> natural;
    for (int p = 0; p < team_.parts(); ++p) {
      const Range<1> own = rows_->own(p);
      natural.push_back(
          make_array(team_.executor(p), std::vector<double>(all.begin() + own.lo[0], all.begin() + own.hi[0])));
    }
    Vector<double> x(matrix_.space());
    matrix_.enter(natural, x);
    for (int p = 0; p < team_.parts(); ++p) team_.executor(p)->synchronize();
    return x;
  }
  std::vector<double> leave(const Vector<double>& x) const {
    std::vector<Array<double, 1>> natural;
    for (int p = 0; p < team_.parts(); ++p)
      natural.emplace_back(team_.executor(p), std::array<Index, 1>{rows_->own_size(p)});
    matrix_.leave(x, natural);
    std::vector<double> own;
    for (const auto& part : natural) {
      const std::vector<double> values = part.to_host();
      own.insert(own.end(), values.begin(), values.end());
    }
    return gather_lists(rows_->comm(), own).values;
  }

  Results results() const {
    const Numbers numbers;
    const Vector<double> x = enter(numbers.x), b = enter(numbers.b), w = enter(numbers.w);
    Vector<double> y(matrix_.space());
    Results all;
    matrix_.apply(x, y);
    all.product = leave(y);
    matrix_.residual(b, x, y);
    all.residual = leave(y);
    fill(y, 0);
    all.dots = matrix_.apply_with_dots(x, y, w);
    all.with_dots = leave(y);
    fill(y, 0);
    all.energy = matrix_.apply_with_energy(x, y, w);
    all.with_energy = leave(y);
    fill(y, 0);
    all.energy_sums = matrix_.apply_with_energy_sums(x, y, w, &b);
    all.with_energy_sums = leave(y);
    all.without_last = matrix_.apply_with_energy_sums(x, y, w, nullptr);
    fill(y, 0);
    all.step = matrix_.apply_with_step_sums(x, y, b, w);
    all.with_step = leave(y);
    return all;
  }

 private:
  const Team& team_;
  RowSpacePtr rows_;
  DistMatrix matrix_;
};

// Sums in long double, and of absolute values.
void check(const Results& found, const WholeMatrix& whole) {
  const Numbers numbers;
  long double yy = 0, yw = 0, xy = 0, xw = 0, sizes = 0, ww = 0, xb = 0, yb = 0, bb = 0, bw = 0;
  for (std::size_t i = 0; i < whole.rows.size(); ++i) {
    long double sum = 0, absolute = 0;
    for (const auto& [column, value] : whole.rows[i]) {
      const long double term = static_cast<long double>(value) * numbers.x[static_cast<std::size_t>(column)];
      sum += term;
      absolute += std::abs(term);
    }
    const double tolerance = 1e-15 + 4e-15 * static_cast<double>(absolute);
    ASSERT_NEAR(found.product[i], static_cast<double>(sum), tolerance) << "row " << i;
    ASSERT_NEAR(found.residual[i], static_cast<double>(numbers.b[i] - sum), tolerance + 2e-16) << "row " << i;
    yy += sum * sum;
    yw += sum * numbers.w[i];
    xy += sum * numbers.x[i];
    xw += static_cast<long double>(numbers.x[i]) * numbers.w[i];
    const long double b = numbers.b[i], w = numbers.w[i];
    ww += w * w;
    xb += numbers.x[i] * b;
    yb += sum * b;
    bb += b * b;
    bw += b * w;
    sizes += absolute * absolute + 1;
  }
  const double tolerance = 1e-14 * static_cast<double>(sizes);
  EXPECT_EQ(found.with_dots, found.product);
  EXPECT_EQ(found.with_energy, found.product);
  EXPECT_NEAR(found.dots.yy, static_cast<double>(yy), tolerance);
  EXPECT_NEAR(found.dots.yw, static_cast<double>(yw), tolerance);
  EXPECT_NEAR(found.energy.xy, static_cast<double>(xy), tolerance);
  EXPECT_NEAR(found.energy.xw, static_cast<double>(xw), tolerance);
  EXPECT_EQ(found.with_energy_sums, found.product);
  EXPECT_EQ(found.with_step, found.product);
  const auto expect = [tolerance](double value, long double exact) {
    EXPECT_NEAR(value, static_cast<double>(exact), tolerance);
  };
  expect(found.energy_sums.uw, xy), expect(found.energy_sums.ru, xw), expect(found.energy_sums.rr, ww);
  expect(found.energy_sums.qu, xb);
  expect(found.without_last.uw, xy), expect(found.without_last.ru, xw), expect(found.without_last.rr, ww);
  expect(found.step.tt, yy), expect(found.step.ts, yb), expect(found.step.ss, bb);
  expect(found.step.r0_t, yw), expect(found.step.r0_s, bw);
}

void expect_equal(const Results& a, const Results& b) {
  EXPECT_EQ(a.product, b.product);
  EXPECT_EQ(a.residual, b.residual);
  EXPECT_EQ(a.with_dots, b.with_dots);
  EXPECT_EQ(a.dots.yy, b.dots.yy);
  EXPECT_EQ(a.dots.yw, b.dots.yw);
  EXPECT_EQ(a.energy.xy, b.energy.xy);
  EXPECT_EQ(a.energy.xw, b.energy.xw);
  EXPECT_EQ(a.energy_sums.rr, b.energy_sums.rr);
  EXPECT_EQ(a.energy_sums.qu, b.energy_sums.qu);
  EXPECT_EQ(a.step.ss, b.step.ss);
  EXPECT_EQ(a.step.r0_t, b.step.r0_t);
  EXPECT_EQ(a.step.r0_s, b.step.r0_s);
}

// The first four on every executor, all of them on the host itself.
const std::vector<MatrixFormat> formats = {{FormatKind::automatic}, {FormatKind::crs},       {FormatKind::ell},
                                           {FormatKind::sell, 32},  {FormatKind::sell, 1},   {FormatKind::sell, 128},
                                           {FormatKind::sell, 256}, {FormatKind::sell, 1024}};

class DistMatrixTest : public OnEveryExecutor {
 protected:
  // One part of one rank against several.
  void compare(const WholeMatrix& whole, const MatrixFormat& format, int each, const Partition& partition) {
    const Devices alone(MPI_COMM_SELF, GetParam(), 1), devices(MPI_COMM_WORLD, GetParam(), each);
    const Results one = Layout(alone, Partition::from_starts({0, size}), whole, format).results();
    check(one, whole);
    expect_equal(Layout(devices, partition, whole, format).results(), one);
  }
  int ranks() const { return Communicator(MPI_COMM_WORLD).size(); }
};

TEST_P(DistMatrixTest, MultipliesInEveryFormat) {
  const WholeMatrix even = uneven_matrix(12, false, 1), uneven = uneven_matrix(300, false, 2),
                    with_hubs = uneven_matrix(7, true, 3);
  unsigned seed = 0;
  const std::size_t count = executor()->backend() == Backend::omp ? formats.size() : 4;
  for (const WholeMatrix* whole : {&even, &uneven, &with_hubs})
    for (std::size_t n = 0; n < count; ++n)
      compare(*whole, formats[n], 2, random_partition(size, 1024, 2 * ranks(), ++seed));
}

TEST_P(DistMatrixTest, DoesNotDependOnWeights) {
  std::vector<double> weights;
  for (int p = 0; p < 3 * ranks(); ++p) weights.push_back(std::array{1., 3., 2.}[static_cast<std::size_t>(p % 3)]);
  compare(uneven_matrix(20, true, 5), {}, 3, Partition(size, 1024, weights, 0));
}

TEST_P(DistMatrixTest, TakesNewValues) {
  const Devices devices(MPI_COMM_WORLD, GetParam(), 1);
  WholeMatrix whole = uneven_matrix(20, true, 5);
  const RowSpacePtr rows = devices.space(size, 1024, 1);
  DistMatrix a(distribute(whole, rows, rows));
  for (auto& row : whole.rows)
    for (auto& [column, value] : row) value *= 2;
  a.renew(distribute(whole, rows, rows));
  Vector<double> x(a.space()), y(a.space());
  fill(x, 1);
  a.apply(x, y);
  const DistMatrix fresh(distribute(whole, rows, rows));
  Vector<double> u(fresh.space()), v(fresh.space());
  fill(u, 1);
  fresh.apply(u, v);
  for (int p = 0; p < devices.team.parts(); ++p) EXPECT_EQ(y.to_host(p), v.to_host(p));
}

TEST_P(DistMatrixTest, ChoosesByFill) {
  const Devices devices(MPI_COMM_WORLD, GetParam(), 1);
  const RowSpacePtr rows = devices.space(size, 1024, 3);
  const auto chosen = [&](const WholeMatrix& whole) { return choose_format(distribute(whole, rows, rows), {}); };
  // Every 600th row long, all others short: a slice of a window of 256 wastes most of its room, one of 1024 less.
  const auto spread = [&](Index distance, Index length) {
    WholeMatrix whole{size, std::vector<std::map<Index, double>>(static_cast<std::size_t>(size))};
    for (Index i = 0; i < size; ++i)
      for (Index j = 0; j < (i % distance == 0 ? length : 8); ++j)
        whole.rows[static_cast<std::size_t>(i)][(i + j) % size] = 1;
    return whole;
  };
  const ChosenFormat even = chosen(spread(1, 8));
  EXPECT_EQ(even.kind, FormatKind::sell);
  EXPECT_EQ(even.order->sigma(), 256);
  EXPECT_EQ(even.fill, (size + 31) / 32 * 32.0 / size);
  const ChosenFormat rough = chosen(spread(600, 60));
  EXPECT_EQ(rough.kind, FormatKind::sell);
  const ChosenFormat wide = chosen(spread(400, 72));
  EXPECT_EQ(wide.kind, FormatKind::sell);
  EXPECT_EQ(wide.order->sigma(), 1024);
  EXPECT_EQ(chosen(spread(300, 250)).kind, FormatKind::crs);
  const DistCrs hubs = distribute(spread(600, 300), rows, rows);  // long rows, kept apart
  EXPECT_EQ(longest_short_row(hubs), 8);
  EXPECT_EQ(longest_row(hubs), 300);
}

TEST_P(DistMatrixTest, HasNoRows) {
  const Devices devices(MPI_COMM_WORLD, GetParam(), 2);
  const RowSpacePtr rows = devices.space(0, 1024, 0);
  const DistMatrix a(distribute({0, {}}, rows, rows));
  const Vector<double> x(a.space()), w(a.space());
  Vector<double> y(a.space());
  EXPECT_EQ(a.apply_with_dots(x, y, w).yy, 0);
}

INSTANTIATE_TEST_SUITE_P(Executors, DistMatrixTest, every_executor(), executor_name);

}  // namespace
}  // namespace halocline::sparse
