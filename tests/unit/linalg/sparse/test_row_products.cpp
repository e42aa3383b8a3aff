// Products with rows in every format, in float and double, scaled, in any order, shared by lanes: all numbers are small
// integers times powers of two, so that every order of the sums gives the same, and must.
#include "lib/linalg/sparse/formats/row_products.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "lib/linalg/sparse/formats/column_space.hpp"
#include "tests/unit/linalg/sparse/sparse_cases.hpp"

namespace halocline::sparse {
namespace {

constexpr Index rows_all = 2900, columns_all = 6000;

int small_integer(Index n, int salt) { return static_cast<int>((n * 7919 + salt) % 15) - 7; }
double left_of(Index row) { return std::ldexp(1.0, static_cast<int>(row % 3)); }
double right_of(Index column) { return std::ldexp(1.0, -static_cast<int>(column % 3)); }

// Rows of up to `longest` entries; with `hubs`, two rows of thousands.
WholeMatrix integer_matrix(Index rows, Index columns, int longest, bool hubs, unsigned seed) {
  WholeMatrix whole = random_matrix(rows, columns, longest, seed);
  for (const Index row : {Index{130}, rows - 1})
    for (Index j = 0; hubs && j < columns; j += row % 2 + 1) whole.rows[static_cast<std::size_t>(row)][j] = 0;
  for (Index i = 0; i < rows; ++i)
    for (auto& [column, value] : whole.rows[static_cast<std::size_t>(i)]) value = small_integer(i + 3 * column, 1);
  return whole;
}

struct Form {
  FormatKind kind;
  Index sigma = 1;  // of the order in which rows are stored
  int lanes = 1;
};

// One matrix on one layout. Vectors hold rows and columns in orders of their own.
template <class T>
class Layout {
 public:
  Layout(const Devices& devices, unsigned seed, const WholeMatrix& whole, const Form& form, bool scaled)
      : team_(devices.team),
        rows_(devices.space(rows_all, 1024, seed)),
        columns_(devices.space(columns_all, 1024, seed + 1)),
        matrix_(distribute(whole, rows_, columns_)),
        row_order_(order_of(rows_, 1024)),
        column_order_(order_of(columns_, 128)),
        stored_(form.sigma == 1 ? std::make_shared<const StorageOrder>(team_.parts())
                                : std::make_shared<const StorageOrder>(matrix_, form.sigma)),
        space_(matrix_, *column_order_),
        product_(std::make_shared<const RowPattern>(matrix_, form.kind, RowOrders{stored_, row_order_, column_order_},
                                                    form.lanes),
                 matrix_, scaled ? scaling() : std::vector<Scaling>{}) {}

  // A x of all rows, in natural order, where x is integers.
  std::vector<T> product() {
    Vector<T> x(space_.space());
    std::vector<Array<T, 1>> y;
    for (int p = 0; p < team_.parts(); ++p) {
      const Executor& executor = *team_.executor(p);
      std::vector<T> values(static_cast<std::size_t>(columns_->own_size(p)));
      const std::vector<LocalIndex> places = column_order_->places_on_host(p);
      for (std::size_t n = 0; n < values.size(); ++n)
        values[static_cast<std::size_t>(places[n])] =
            static_cast<T>(small_integer(columns_->own(p).lo[0] + static_cast<Index>(n), 5));
      if (!values.empty()) executor.copy_in(x.part(p).data, values.data(), values.size() * sizeof(T));
      y.emplace_back(team_.executor(p), std::array<Index, 1>{rows_->own_size(p)});
    }
    VectorHalo<T> halo(*space_.space(), space_.links());
    const auto work = [&](int p, Windows which) {
      multiply_windows("product", product_, p, which, space_.columns(x, p), StoreEnd<T>{y[p].view().data});
    };
    halo.start(x);
    team_.each([&](int p) { work(p, Windows::inside); });
    halo.finish(x);
    team_.each([&](int p) {
      multiply_long_rows(product_, p, space_.columns(x, p));
      work(p, Windows::with_ghosts);
    });
    return natural(y);
  }
  void fill_again() { product_.fill(matrix_, {}); }

 private:
  // By the rows of some other matrix.
  StorageOrderPtr order_of(const RowSpacePtr& space, Index sigma) const {
    return std::make_shared<const StorageOrder>(
        distribute(random_matrix(space->size(), space->size(), 9, 77), space, space), sigma);
  }
  std::vector<Scaling> scaling() {
    std::vector<Scaling> result;
    for (int p = 0; p < team_.parts(); ++p) {
      std::vector<double> left, right;
      for (Index i = rows_->own(p).lo[0]; i < rows_->own(p).hi[0]; ++i) left.push_back(left_of(i));
      for (Index n = 0; n < matrix_.local_columns(p); ++n)
        right.push_back(right_of(global_column(matrix_.ghosts(p), columns_->own(p), n)));
      factors_.push_back(make_array(team_.executor(p), left));
      factors_.push_back(make_array(team_.executor(p), right));
    }
    for (int p = 0; p < team_.parts(); ++p)
      result.push_back({factors_[2 * p].view().data, factors_[2 * p + 1].view().data});
    return result;
  }
  std::vector<T> natural(const std::vector<Array<T, 1>>& y) const {
    std::vector<T> own;
    for (int p = 0; p < team_.parts(); ++p) {
      const std::vector<T> values = y[p].to_host();
      for (const LocalIndex place : row_order_->places_on_host(p))
        own.push_back(values[static_cast<std::size_t>(place)]);
    }
    return gather_lists(rows_->comm(), own).values;
  }

  const Team& team_;
  RowSpacePtr rows_, columns_;
  DistCrs matrix_;
  StorageOrderPtr row_order_, column_order_, stored_;
  ColumnSpace space_;
  std::vector<Array<double, 1>> factors_;
  Rows<T> product_;
};

template <class T>
std::vector<T> expected(const WholeMatrix& whole, bool scaled) {
  std::vector<T> result;
  for (Index i = 0; i < whole.size(); ++i) {
    double sum = 0;
    for (const auto& [column, value] : whole.rows[static_cast<std::size_t>(i)])
      sum += value * small_integer(column, 5) * (scaled ? left_of(i) * right_of(column) : 1);
    result.push_back(static_cast<T>(sum));
  }
  return result;
}

class RowProductsTest : public OnEveryExecutor {
 protected:
  template <class T>
  void check(const WholeMatrix& whole, const std::vector<Form>& forms) {
    unsigned seed = 0;
    for (const Form& form : forms) {
      const bool host = executor()->backend() == Backend::omp;
      const Devices devices(MPI_COMM_WORLD, GetParam(), host ? 3 : 2);
      Layout<T> layout(devices, ++seed, whole, form, true);
      EXPECT_EQ(layout.product(), expected<T>(whole, true));
      layout.fill_again();
      EXPECT_EQ(layout.product(), expected<T>(whole, false));
    }
  }
};

const std::vector<Form> every_form = {{FormatKind::sell, 256},  {FormatKind::crs},        {FormatKind::crs, 1, 4},
                                      {FormatKind::crs, 32, 8}, {FormatKind::crs, 1, 16}, {FormatKind::sell, 1},
                                      {FormatKind::sell, 1024}, {FormatKind::ell}};

TEST_P(RowProductsTest, Float) { check<float>(integer_matrix(rows_all, columns_all, 40, true, 1), every_form); }
TEST_P(RowProductsTest, Double) { check<double>(integer_matrix(rows_all, columns_all, 40, true, 2), every_form); }
TEST_P(RowProductsTest, FourColumns) {
  const WholeMatrix whole = integer_matrix(rows_all, columns_all, 4, false, 3);
  check<float>(whole, {{FormatKind::four}, {FormatKind::four, 256}});
  check<double>(whole, {{FormatKind::four}});
}

// Factors are multiplied in double and rounded once.
TEST_P(RowProductsTest, ScaledValuesAreRoundedOnce) {
  const Devices alone(MPI_COMM_SELF, GetParam(), 1);
  const ExecutorPtr device = alone.team.executor(0);
  const double value = 1 + std::ldexp(1.0, -24), left = 3, right = 1.0 / 3;
  const RowSpacePtr space = alone.space(1, 1024, 0);
  const DistCrs a = distribute({1, {{{0, value}}}}, space, space);
  const Array<double, 1> of_row = make_array(device, std::vector<double>{left}),
                         of_column = make_array(device, std::vector<double>{right});
  const Rows<float> rows(std::make_shared<const RowPattern>(a, choose_format(a, {FormatKind::crs})), a,
                         {{of_row.view().data, of_column.view().data}});
  device->synchronize();
  const auto& values = rows.part(0).values;
  std::vector<float> found(static_cast<std::size_t>(values.size()));
  device->copy_out(found.data(), values.view().data, found.size() * sizeof(float));
  EXPECT_EQ(found, std::vector<float>{static_cast<float>(left * value * right)});
}

TEST_P(RowProductsTest, LanesOnGpusOnly) {
  const Devices devices(MPI_COMM_WORLD, GetParam(), 1);
  const RowSpacePtr rows = devices.space(rows_all, 1024, 1);
  const bool gpu = executor()->backend() == Backend::cuda;
  for (const int entries : {3, 30, 60}) {
    WholeMatrix whole{rows_all, std::vector<std::map<Index, double>>(static_cast<std::size_t>(rows_all))};
    for (Index i = 0; i < rows_all; ++i)
      for (Index j = 0; j < entries; ++j) whole.rows[static_cast<std::size_t>(i)][(i + j) % rows_all] = 1;
    const DistCrs a = distribute(whole, rows, rows);
    EXPECT_EQ(choose_format(a, {}).lanes, 1);
    const ChosenFormat shared = choose_format(a, {.may_share = true});
    EXPECT_EQ(shared.kind, gpu ? FormatKind::crs : FormatKind::sell);
    EXPECT_EQ(shared.lanes, !gpu ? 1 : entries == 3 ? 4 : entries == 30 ? 8 : 16);
  }
}

// However many ghosts there are below: vectors whose lines lie askew are slow on GPUs.
TEST_P(RowProductsTest, OwnNumbersBeginWithALine) {
  const Devices devices(MPI_COMM_WORLD, GetParam(), 3);
  const RowSpacePtr rows = devices.space(rows_all, 1024, 1), columns = devices.space(columns_all, 1024, 2);
  for (const int longest : {2, 3, 4, 5, 6}) {
    const DistCrs a = distribute(integer_matrix(rows_all, columns_all, longest, false, 4), rows, columns);
    const ColumnSpace space(a, StorageOrder(devices.team.parts()));
    for (int p = 0; p < devices.team.parts(); ++p) {
      const Index before = space.space()->layout().room_before(p);
      EXPECT_GE(before, a.ghosts(p).below);
      EXPECT_EQ(before * sizeof(float) % 128, 0U) << a.ghosts(p).below;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Executors, RowProductsTest, every_executor(), executor_name);

}  // namespace
}  // namespace halocline::sparse
