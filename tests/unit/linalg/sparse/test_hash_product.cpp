// Products by hash tables against those of the host, bit by bit and in the same order, with rows for every size of
// table, tables that are full, and known patterns. On the host through gpu/block_kernel_host.hpp; with HALOCLINE_ON_GPU
// the library's kernels on a GPU.
#include "lib/linalg/sparse/products/hash_product.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "gpu/devices.hpp"
#include "lib/linalg/sparse/bin_layout.hpp"
#include "lib/linalg/sparse/cuda/spgemm_hash.hpp"
#include "lib/linalg/sparse/products/host_product.hpp"

#if !defined(HALOCLINE_ON_GPU)
#include "lib/linalg/sparse/cuda/spgemm_hash.cu"
#endif

namespace halocline::sparse {
namespace {

struct HostRows {
  std::vector<Index> ptr{0};
  std::vector<LocalIndex> col;
  std::vector<double> val;
  Index rows() const { return static_cast<Index>(ptr.size()) - 1; }
};

struct Placed {
  Crs<double> rows;
  Placed(const ExecutorPtr& executor, const HostRows& from) {
    rows.ptr = make_array(executor, from.ptr);
    rows.col = make_array(executor, from.col);
    rows.val = make_array(executor, from.val);
  }
  CrsView<double> view() const { return rows.view(); }
};

// Rows of such lengths with distinct columns at random, ascending or not.
HostRows random_rows(const std::vector<Index>& lengths, Index columns, bool ascending, std::mt19937& random) {
  std::uniform_real_distribution<double> value(-1, 1);
  HostRows made;
  for (const Index length : lengths) {
    std::set<LocalIndex> chosen;
    std::vector<LocalIndex> order;
    while (static_cast<Index>(order.size()) < std::min(length, columns)) {
      const auto column = static_cast<LocalIndex>(random() % static_cast<std::uint32_t>(columns));
      if (chosen.insert(column).second) order.push_back(column);
    }
    if (ascending) std::sort(order.begin(), order.end());
    made.col.insert(made.col.end(), order.begin(), order.end());
    for (std::size_t n = 0; n < order.size(); ++n) made.val.push_back(random() % 50 == 0 ? -0.0 : value(random));
    made.ptr.push_back(static_cast<Index>(made.col.size()));
  }
  return made;
}

// A product whose B has rows of the part between fetched ones.
struct Case {
  HostRows a, own, fetched;
  Index below, columns;

  // `lengths`: of the rows of A; rows of B have 0 to `longest` entries.
  Case(const std::vector<Index>& lengths, Index rows_of_b, int longest, Index columns, unsigned seed)
      : below(rows_of_b / 5), columns(columns) {
    std::mt19937 random(seed);
    const Index others = rows_of_b / 3;
    const auto some = [&](Index count) {
      std::vector<Index> result;
      for (Index n = 0; n < count; ++n) result.push_back(random() % static_cast<unsigned>(longest + 1));
      return result;
    };
    a = random_rows(lengths, rows_of_b, true, random);
    own = random_rows(some(rows_of_b - others), columns, false, random);
    fetched = random_rows(some(others), columns, false, random);
  }
};

class Factors {
 public:
  Factors(const ExecutorPtr& executor, const Case& from)
      : executor_(executor),
        a_(executor, from.a),
        own_(executor, from.own),
        fetched_(executor, from.fetched),
        below_(from.below),
        columns_(from.columns) {}
  const ExecutorPtr& executor() const { return executor_; }
  CrsView<double> a() const { return a_.view(); }
  FactorRows b() const { return {own_.view(), fetched_.view(), below_, columns_}; }

 private:
  ExecutorPtr executor_;
  Placed a_, own_, fetched_;
  Index below_, columns_;
};

std::vector<std::uint64_t> bits_of(const std::vector<double>& values) {
  std::vector<std::uint64_t> bits(values.size());
  std::copy_n(reinterpret_cast<const unsigned char*>(values.data()), values.size() * sizeof(double),
              reinterpret_cast<unsigned char*>(bits.data()));
  return bits;
}

class HashProductTest : public testing::TestWithParam<std::string> {
 protected:
  const ExecutorPtr executor = make_executor(GetParam(), 1), host = make_omp_executor(1);

  void expect_same(const Crs<double>& found, const Crs<double>& wanted) {
    EXPECT_EQ(found.ptr.to_host(), wanted.ptr.to_host());
    EXPECT_EQ(found.col.to_host(), wanted.col.to_host());
    EXPECT_EQ(bits_of(found.val.to_host()), bits_of(wanted.val.to_host()));
  }
  void compare(const Case& both) {
    const Factors here(host, both), there(executor, both);
    for (const bool sorted : {false, true})
      expect_same(hash_product(executor, there.a(), there.b(), sorted), host_product(host, here.a(), here.b(), sorted));
  }
  // The bins of the rows of a product, and whether the first tables of some were too small.
  std::set<int> bins_used(const Case& both, bool& full) {
    const Factors here(host, both);
    const std::vector<Index> ptr = host_product(host, here.a(), here.b(), false).ptr.to_host();
    std::set<int> used;
    for (Index row = 0; row < both.a.rows(); ++row) {
      Index bound = 0;
      for (Index e = both.a.ptr[row]; e < both.a.ptr[row + 1]; ++e) bound += here.b().entries(both.a.col[e]);
      const Index count = ptr[row + 1] - ptr[row];
      used.insert(bin_of(count));
      full = full || bin_of((std::min(bound, both.columns) + 1) / 2) < bin_of(count);
    }
    return used;
  }
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(HashProductTest);
#if defined(HALOCLINE_ON_GPU)
std::vector<std::string> devices() {
  return cuda_device_count() > 0 ? std::vector<std::string>{"cuda:0"} : std::vector<std::string>{};
}
INSTANTIATE_TEST_SUITE_P(cuda, HashProductTest, testing::ValuesIn(devices()));
#else
INSTANTIATE_TEST_SUITE_P(host, HashProductTest, testing::Values("omp:1", "emulated-lazy:2"));
#endif

// Rows whose products nearly all have columns of their own, so that the first table of many is full, beside rows with
// many products in few columns.
TEST_P(HashProductTest, EveryTableIncludingFullOnes) {
  const Case wide({0, 1, 2, 5, 9, 12, 17, 30, 60, 100, 3, 700, 0, 1600}, 2000, 8, 40000, 1);
  bool full = false;
  EXPECT_EQ(bins_used(wide, full).size(), static_cast<std::size_t>(bins));
  EXPECT_TRUE(full);
  compare(wide);
  compare(Case({40, 0, 200, 7, 90, 400}, 500, 9, 60, 2));
}

TEST_P(HashProductTest, RowsOfBOfAnyLength) {
  unsigned seed = 10;
  for (const int longest : {1, 4, 9, 20, 45, 100}) {
    std::vector<Index> lengths;
    for (Index n = 0; n < 70; ++n) lengths.push_back(n * n % 13);
    compare(Case(lengths, 300, longest, 250, ++seed));
  }
}

TEST_P(HashProductTest, NothingToMultiply) {
  compare(Case({}, 10, 3, 10, 1));
  compare(Case({0, 0, 0}, 10, 3, 10, 1));
  compare(Case({3, 2}, 10, 0, 10, 1));
}

// More rows than there are tables in the device's memory.
TEST_P(HashProductTest, RowsTakeTurns) {
  const Case both({3, 0, 40, 12, 7}, 100, 8, 500, 4);
  const Factors here(host, both), there(executor, both);
  const std::vector<Index> ptr = host_product(host, here.a(), here.b(), false).ptr.to_host();
  const Index slots = 512;
  Array<unsigned char, 1> memory(executor, {2 * bytes_of_table(slots)});
  const Array<LocalIndex, 1> rows = make_array(executor, std::vector<LocalIndex>{4, 2, 0, 1, 3});
  Array<Index, 1> count(executor, {5});
  Array<LocalIndex, 1> full(executor, {5}), full_count = make_array(executor, std::vector<LocalIndex>{0});
  count_by_hash(*executor, {there.a(), there.b(), rows.view().data, rows.size(), slots, 32, memory.view().data, 2},
                count.view().data, {full.view().data, full_count.view().data});
  const std::vector<Index> found = count.to_host();
  for (std::size_t row = 0; row < found.size(); ++row) EXPECT_EQ(found[row], ptr[row + 1] - ptr[row]);
  EXPECT_EQ(full_count.to_host()[0], 0);
}

// New values of a pattern that has been sorted, and whose columns have other numbers than those of B.
TEST_P(HashProductTest, KnownPatterns) {
  const Case both({0, 1, 5, 9, 30, 60, 700, 1600, 12}, 2000, 8, 20000, 3);
  Case other = both;
  for (HostRows* rows : {&other.a, &other.own, &other.fetched})
    for (double& value : rows->val) value = 0.3 - value * value;
  for (const bool renumbered : {false, true}) {
    const Factors here(host, other), there(executor, other);
    const Crs<double> wanted = host_product(host, here.a(), here.b(), true);
    std::vector<LocalIndex> column_of_b(static_cast<std::size_t>(both.columns)), col = wanted.col.to_host();
    for (std::size_t n = 0; n < column_of_b.size(); ++n)
      column_of_b[n] = static_cast<LocalIndex>((n + 11) % column_of_b.size());
    if (renumbered)
      for (LocalIndex& column : col) column = (column + static_cast<LocalIndex>(both.columns) - 11) % both.columns;
    const Array<Index, 1> ptr = make_array(executor, wanted.ptr.to_host());
    const Array<LocalIndex, 1> columns = make_array(executor, col), map = make_array(executor, column_of_b);
    Array<double, 1> values(executor, {columns.size()});
    hash_product_again(executor, there.a(), there.b(),
                       {ptr.view(), columns.view(), renumbered ? map.view().data : nullptr, values.view()});
    EXPECT_EQ(bits_of(values.to_host()), bits_of(wanted.val.to_host()));
  }
}

}  // namespace
}  // namespace halocline::sparse
