// Rows fetched, transposes and products of distributed matrices, against the whole matrices.
#include <gtest/gtest.h>

#include <cmath>

#include "lib/linalg/sparse/products/replicate.hpp"
#include "lib/linalg/sparse/products/spgemm.hpp"
#include "lib/linalg/sparse/products/transpose.hpp"
#include "tests/unit/linalg/sparse/sparse_cases.hpp"

namespace halocline::sparse {
namespace {

constexpr Index fine = 1500, coarse = 300;

// In the order of the sums that are promised.
WholeMatrix product(const WholeMatrix& a, const WholeMatrix& b) {
  WholeMatrix c{b.columns, std::vector<std::map<Index, double>>(a.rows.size())};
  for (std::size_t i = 0; i < a.rows.size(); ++i)
    for (const auto& [k, factor] : a.rows[i])
      for (const auto& [j, value] : b.rows[static_cast<std::size_t>(k)]) {
        volatile const double term = factor * value;  // rounded before it is added
        c.rows[i][j] += term;
      }
  return c;
}

WholeMatrix scaled(WholeMatrix a, double by) {
  for (auto& row : a.rows)
    for (auto& [column, value] : row) value *= by + static_cast<double>(column % 7);
  return a;
}

class ProductsTest : public OnEveryExecutor {
 protected:
  // Calls work(devices, spaces of fine and coarse rows, seed).
  template <class Work>
  void on_spaces(const Work& work) {
    on_partitions(GetParam(), [&](const Devices& devices, unsigned seed) {
      work(devices, devices.space(fine, 16, seed), devices.space(coarse, 1, seed + 20), seed);
    });
  }
};

// Rows as they were fetched, with global columns.
void check_fetched(const RowFetch& fetch, const DistCrs& b, const std::vector<std::vector<Index>>& needed,
                   const WholeMatrix& whole) {
  for (int p = 0; p < b.team().parts(); ++p) {
    const auto check = [&](const CrsView<double>& view, const auto& row_number) {
      const HostCrs rows = to_host(*b.team().executor(p), view);
      for (std::size_t i = 0; i + 1 < rows.ptr.size(); ++i) {
        std::map<Index, double> found;
        for (Index e = rows.ptr[i]; e < rows.ptr[i + 1]; ++e)
          found[global_column(fetch.ghosts(p), b.columns().own(p), rows.col[static_cast<std::size_t>(e)])] =
              rows.val[static_cast<std::size_t>(e)];
        EXPECT_EQ(found, whole.rows[static_cast<std::size_t>(row_number(i))]);
      }
      return rows.ptr.size() - 1;
    };
    EXPECT_EQ(check(fetch.view(p), [&](std::size_t i) { return needed[p][i]; }), needed[p].size());
    check(fetch.own(b, p), [&](std::size_t i) { return b.rows().own(p).lo[0] + static_cast<Index>(i); });
    EXPECT_TRUE(std::is_sorted(fetch.ghosts(p).rows.begin(), fetch.ghosts(p).rows.end()));
  }
}

TEST_P(ProductsTest, FetchRows) {
  on_spaces([](const Devices& devices, const RowSpacePtr& rows, const RowSpacePtr& columns, unsigned seed) {
    const WholeMatrix whole = random_matrix(fine, coarse, 9, seed), other = scaled(whole, 2);
    const DistCrs b = distribute(whole, rows, columns);
    std::mt19937 random(seed + static_cast<unsigned>(devices.comm.rank()));
    std::vector<std::vector<Index>> needed;
    for (int p = 0; p < devices.team.parts(); ++p) {
      needed.emplace_back();
      for (Index row = 0; row < fine; ++row)
        if ((row < rows->own(p).lo[0] || row >= rows->own(p).hi[0]) && random() % 5 == 0) needed.back().push_back(row);
    }
    RowFetch fetch(b, needed);
    check_fetched(fetch, b, needed, whole);
    const DistCrs changed = distribute(other, rows, columns);
    fetch.again(changed);
    check_fetched(fetch, changed, needed, other);
  });
}

TEST_P(ProductsTest, Transpose) {
  on_spaces([](const Devices&, const RowSpacePtr& rows, const RowSpacePtr& columns, unsigned seed) {
    const WholeMatrix whole = random_matrix(fine, coarse, 9, seed);
    const DistCrs a = distribute(whole, rows, columns);
    const DistCrs t = transpose(a);
    EXPECT_EQ(collect(t), transposed(whole));
    EXPECT_EQ(t.rows_pointer(), columns);
    EXPECT_EQ(collect(transpose(t)), whole);
    const WholeMatrix square = random_matrix(fine, fine, 9, seed);
    EXPECT_EQ(collect(transpose(distribute(square, rows, rows))), transposed(square));
  });
}

// No ghosts that no row has.
void check_ghosts_used(const DistCrs& c) {
  for (int p = 0; p < c.team().parts(); ++p) {
    const HostCrs rows = to_host(*c.team().executor(p), c.view(p));
    std::vector<bool> used(static_cast<std::size_t>(c.local_columns(p)), false);
    for (const LocalIndex column : rows.col) used[static_cast<std::size_t>(column)] = true;
    const Index below = c.ghosts(p).below, own = c.columns().own_size(p);
    for (Index n = 0; n < c.local_columns(p); ++n)
      EXPECT_TRUE((n >= below && n < below + own) || used[static_cast<std::size_t>(n)]);
  }
}

// By threads in any order as well, with columns that hardly any and that nearly all rows have.
TEST_P(ProductsTest, TransposeInAnyOrder) {
  on_spaces([](const Devices&, const RowSpacePtr& rows, const RowSpacePtr& columns, unsigned seed) {
    WholeMatrix whole = random_matrix(fine, coarse, 9, seed);
    for (Index row = 0; row < fine; ++row)
      for (const Index column : {Index{17}, coarse - 1})
        if (row % (1 + column % 7) == 0) whole.rows[static_cast<std::size_t>(row)][column] = static_cast<double>(row);
    const DistCrs a = distribute(whole, rows, columns);
    EXPECT_EQ(collect(transpose(a, Scatter::atomics)), transposed(whole));
    EXPECT_EQ(collect(transpose(a, Scatter::strips)), transposed(whole));
  });
}

TEST_P(ProductsTest, Multiply) {
  on_spaces([](const Devices&, const RowSpacePtr& rows, const RowSpacePtr& columns, unsigned seed) {
    const WholeMatrix whole_a = random_matrix(fine, fine, 9, seed), whole_p = random_matrix(fine, coarse, 4, seed + 1);
    const WholeMatrix whole_ap = product(whole_a, whole_p);
    const DistCrs a = distribute(whole_a, rows, rows), p = distribute(whole_p, rows, columns);
    const DistCrs ap = multiply(a, p, Order::as_they_arise);
    EXPECT_EQ(collect(ap, false), whole_ap);
    const DistCrs c = multiply(transpose(p), ap, Order::sorted);
    EXPECT_EQ(collect(c), product(transposed(whole_p), whole_ap));
    check_ghosts_used(c);
  });
}

TEST_P(ProductsTest, MultiplyAgain) {
  on_spaces([](const Devices&, const RowSpacePtr& rows, const RowSpacePtr& columns, unsigned seed) {
    const WholeMatrix whole_a = random_matrix(fine, fine, 9, seed), whole_p = random_matrix(fine, coarse, 4, seed + 1);
    ProductPlan of_ap, of_c;
    DistCrs ap =
        multiply(distribute(whole_a, rows, rows), distribute(whole_p, rows, columns), Order::as_they_arise, &of_ap);
    DistCrs c = multiply(transpose(distribute(whole_p, rows, columns)), ap, Order::sorted, &of_c);
    const WholeMatrix new_a = scaled(whole_a, 0.3), new_p = scaled(whole_p, -3);
    const DistCrs p = distribute(new_p, rows, columns);
    multiply_again(of_ap, distribute(new_a, rows, rows), p, ap);
    multiply_again(of_c, transpose(p), ap, c);
    const WholeMatrix whole_ap = product(new_a, new_p);
    EXPECT_EQ(collect(ap, false), whole_ap);
    EXPECT_EQ(collect(c), product(transposed(new_p), whole_ap));
  });
}

TEST_P(ProductsTest, MultiplyReplicatedMatrices) {
  const Devices devices(MPI_COMM_WORLD, GetParam(), 2);
  const RowSpacePtr rows = devices.space(random_partition(fine, 1, devices.team.total_parts(), 1), true);
  const RowSpacePtr columns = devices.space(random_partition(coarse, 1, devices.team.total_parts(), 2), true);
  const WholeMatrix a = random_matrix(fine, fine, 9, 1), p = random_matrix(fine, coarse, 4, 2);
  const DistCrs local_p = distribute(p, rows, columns);
  const DistCrs ap = multiply(distribute(a, rows, rows), local_p, Order::as_they_arise);
  const DistCrs c = multiply(transpose(local_p), ap, Order::sorted);
  EXPECT_EQ(collect(c), product(transposed(p), product(a, p)));
}

TEST_P(ProductsTest, Replicate) {
  on_spaces([](const Devices& devices, const RowSpacePtr& rows, const RowSpacePtr& columns, unsigned seed) {
    const WholeMatrix whole = random_matrix(fine, coarse, 9, seed);
    const RowSpacePtr all_rows = devices.space(rows->partition(), true),
                      all_columns = devices.space(columns->partition(), true);
    const DistCrs a = distribute(whole, rows, columns);
    const DistCrs everywhere = replicate(a, all_rows, all_columns);
    EXPECT_EQ(collect(everywhere), whole);
    EXPECT_EQ(everywhere.entries(), whole.entries());
    for (int p = 0; p < devices.team.parts(); ++p)
      EXPECT_EQ(to_host(*devices.team.executor(p), everywhere.view(p)).val,
                to_host(*devices.team.executor(0), everywhere.view(0)).val);
    const DistCrs without_ghosts = replicate_columns(a, all_columns);
    EXPECT_EQ(collect(without_ghosts), whole);
    for (int p = 0; p < devices.team.parts(); ++p) EXPECT_EQ(without_ghosts.ghosts(p).size(), 0);
  });
}

// Rows of a product that are longer than what ranks sort, and of one entry.
TEST_P(ProductsTest, SortLongRows) {
  const Devices devices(MPI_COMM_WORLD, GetParam(), 1);
  const RowSpacePtr rows = devices.space(40, 1, 1), columns = devices.space(5000, 1, 2);
  WholeMatrix a = random_matrix(40, 40, 30, 1), b = random_matrix(40, 5000, 300, 2);
  a.rows[7] = {{3, 2.0}};
  const DistCrs c = multiply(distribute(a, rows, rows), distribute(b, rows, columns), Order::sorted);
  EXPECT_EQ(collect(c), product(a, b));
}

INSTANTIATE_TEST_SUITE_P(Executors, ProductsTest, every_executor(), executor_name);

}  // namespace
}  // namespace halocline::sparse
