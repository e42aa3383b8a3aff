#include "lib/linalg/sparse/products/hash_product.hpp"

#include <algorithm>
#include <utility>

#include "lib/base/index_range.hpp"
#include "lib/linalg/sparse/cuda/spgemm_hash.hpp"
#include "lib/linalg/sparse/products/row_bins.hpp"

namespace halocline::sparse {
namespace {

constexpr Index most_table_bytes = Index{256} << 20;  // of all tables in the device's memory, if one is not larger
constexpr Index most_tables = 256;

// Launches for the rows of one product.
class Tables {
 public:
  // `row_of_b`: mean entries of the rows of B that rows of A meet; `largest`: entries of a row of C, at most.
  Tables(const ExecutorPtr& executor, const CrsView<double>& a, const FactorRows& b, double row_of_b, Index largest)
      : executor_(executor), row_of_b_(row_of_b), work_{a, b, nullptr, 0, 0, 32, nullptr, 0} {
    while (room_of(large_slots_) < largest) large_slots_ *= 2;
  }

  // What rows of a bin are done with. Another call may take the memory that this one has given.
  HashRows of(int bin, const LocalIndex* rows, Index count) {
    HashRows work = work_;
    work.rows = rows;
    work.count = count;
    work.slots = slots_of_bin(bin);
    if (work.slots > 0) {
      work.lanes = lanes_for(work.slots);
      return work;
    }
    work.slots = large_slots_;
    if (count == 0) return work;
    work.tables = std::clamp<Index>(most_table_bytes / bytes_of_table(work.slots), 1, std::min(count, most_tables));
    if (memory_.size() < work.tables * bytes_of_table(work.slots)) {
      executor_->synchronize();  // the memory may be in use until then
      memory_ = Array<unsigned char, 1>(executor_, {work.tables * bytes_of_table(work.slots)});
    }
    work.memory = memory_.view().data;
    return work;
  }

 private:
  // Most rows of B are done at once; rows with large tables get more lanes, so that more are under way.
  int lanes_for(Index slots) const {
    int lanes = 4;
    while (lanes < 32 && (lanes < 0.75 * row_of_b_ || lanes * 32 < slots)) lanes *= 2;
    return lanes;
  }

  ExecutorPtr executor_;
  double row_of_b_;
  HashRows work_;
  Index large_slots_ = 2 * slots_of_bin(bins - 2);
  Array<unsigned char, 1> memory_;
};

// Rows whose tables were full, and how many.
struct FullList {
  Array<LocalIndex, 1> rows, count;
  explicit FullList(const ExecutorPtr& executor, Index most)
      : rows(executor, {most}), count(make_array(executor, std::vector<LocalIndex>{0})) {}
  FullRows view() { return {rows.view().data, count.view().data}; }
  void clear() { count.assign(std::vector<LocalIndex>{0}); }
  Index size() const { return count.to_host()[0]; }
};

// Entries of every row, to count[row]. A row whose table was full gets the next larger one.
void count_rows(const ExecutorPtr& executor, Tables& tables, const RowBins& sorted, Index* count) {
  const Index rows = sorted.list.size();
  FullList full(executor, rows), next(executor, rows);
  Index again = 0;
  for (int bin = 0; bin < bins; ++bin) {
    if (again == 0 && sorted.count(bin) == 0) continue;
    count_by_hash(*executor, tables.of(bin, sorted.rows(bin), sorted.count(bin)), count, next.view());
    count_by_hash(*executor, tables.of(bin, full.rows.view().data, again), count, next.view());
    again = next.size();
    if (again == 0) continue;
    std::swap(full, next);
    next.clear();
  }
  require(again == 0, "sparse product: a row beyond the largest table");
}

}  // namespace

Crs<double> hash_product(const ExecutorPtr& executor, const CrsView<double>& a, const FactorRows& b, bool sorted) {
  const Index rows = a.rows();
  Crs<double> c;
  c.ptr = Array<Index, 1>(executor, {rows + 1});
  const View<const Index, 1> ptr = std::as_const(c.ptr).view();
  Array<Index, 1> bound(executor, {rows});
  const ProductSizes sizes = reduce(*executor, {"bounds of a product", 12.0 * static_cast<double>(a.entries())},
                                    up_to(rows), ProductSizes{0, 0}, JoinSizes{}, BoundBody{a, b, bound.view()});
  const double row_of_b = static_cast<double>(sizes.products) / static_cast<double>(std::max<Index>(1, a.entries()));
  Tables tables(executor, a, b, row_of_b, sizes.largest);
  const RowBins by_bound = bin_rows(executor, rows, BoundSizes{std::as_const(bound).view()});
  count_rows(executor, tables, by_bound, c.ptr.view().data);
  const Index entries = scan_counts(executor, c.ptr.view());
  c.col = Array<LocalIndex, 1>(executor, {entries});
  c.val = Array<double, 1>(executor, {entries});
  const RowBins by_count = bin_rows(executor, rows, KnownSizes{ptr});
  for (int bin = 0; bin < bins; ++bin)
    sum_by_hash(*executor, tables.of(bin, by_count.rows(bin), by_count.count(bin)),
                {ptr.data, c.col.view().data, c.val.view().data, sorted});
  executor->synchronize();  // bounds, lists and tables are in use until then
  return c;
}

void hash_product_again(const ExecutorPtr& executor, const CrsView<double>& a, const FactorRows& b,
                        const KnownProduct& c) {
  const Index rows = a.rows();
  const KnownSizes size{c.ptr};
  const Index largest =
      reduce(*executor, "longest row of a product", up_to(rows), Index{0}, LargerIndex{}, LargestSizeBody{size});
  // As many rows of B as products, if they were all as long as the mean one.
  const double row_of_b = static_cast<double>(b.own.entries() + b.fetched.entries()) /
                          static_cast<double>(std::max<Index>(1, b.own.rows() + b.fetched.rows()));
  Tables tables(executor, a, b, row_of_b, largest);
  const RowBins sorted = bin_rows(executor, rows, size);
  for (int bin = 0; bin < bins; ++bin)
    sum_known_by_hash(*executor, tables.of(bin, sorted.rows(bin), sorted.count(bin)), c);
  executor->synchronize();  // lists and tables are in use until then
}

}  // namespace halocline::sparse
