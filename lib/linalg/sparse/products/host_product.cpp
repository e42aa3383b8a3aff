#include "lib/linalg/sparse/products/host_product.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <mutex>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/base/profile/kernel_profile.hpp"
#include "lib/linalg/sparse/products/sort_row.hpp"

namespace halocline::sparse {
namespace {

constexpr Index most_block_rows = 512;
constexpr Index slab_entries = Index{1} << 20;

// Host memory of an executor, which keeps it for the next product. Threads may take at the same time.
class HostRoom {
 public:
  explicit HostRoom(const Executor& executor) : executor_(executor) {}
  ~HostRoom() {
    for (const auto& [pointer, bytes] : blocks_) executor_.deallocate_pinned(pointer, bytes);
  }
  HostRoom(const HostRoom&) = delete;
  HostRoom& operator=(const HostRoom&) = delete;

  template <class T>
  T* take(Index size) {
    const std::size_t bytes = static_cast<std::size_t>(size) * sizeof(T);
    const std::lock_guard lock(mutex_);
    blocks_.reserve(blocks_.size() + 1);
    blocks_.emplace_back(executor_.allocate_pinned(bytes), bytes);
    return static_cast<T*>(blocks_.back().first);
  }

 private:
  const Executor& executor_;
  std::mutex mutex_;
  std::vector<std::pair<void*, std::size_t>> blocks_;
};

// Rows of A done by one thread at a time.
struct Blocks {
  Index rows, size;
  Blocks(Index rows, int threads) : rows(rows), size(std::clamp<Index>(rows / (8 * threads), 16, most_block_rows)) {}
  Index count() const { return (rows + size - 1) / size; }
  Index begin(Index block) const { return block * size; }
  Index end(Index block) const { return std::min(rows, (block + 1) * size); }
};

// Entries of a row of B.
struct RowEntries {
  const LocalIndex* col;
  const double* val;
  Index count;
};
inline RowEntries row_of(const FactorRows& b, LocalIndex k) {
  const Index n = k - b.below;
  const bool own = n >= 0 && n < b.own.rows();
  const CrsView<double>& rows = own ? b.own : b.fetched;
  const Index row = own ? n : n < 0 ? k : k - b.own.rows();
  const Index first = rows.ptr.data[row];
  return {rows.col.data + first, rows.val.data + first, rows.ptr.data[row + 1] - first};
}

// Products of the rows of a block: no fewer than its entries of C.
Index count_products(const CrsView<double>& a, const FactorRows& b, Index first, Index end) {
  Index sum = 0;
  for (Index e = a.ptr.data[first]; e < a.ptr.data[end]; ++e) sum += row_of(b, a.col.data[e]).count;
  return sum;
}

// Where one thread writes entries of C, and where[column]: the number of the entry of the row under way in that column,
// if it is not below the row's first. Entries of a thread are numbered through, so that nothing is cleared between
// rows.
struct Bench {
  LocalIndex* where = nullptr;
  Index columns = 0;
  LocalIndex* col = nullptr;
  double* val = nullptr;
  Index room = 0;       // entries that still fit behind col and val
  LocalIndex next = 0;  // number of the next entry

  void prepare(HostRoom& memory, Index columns_of_b, Index products) {
    if (where == nullptr || std::numeric_limits<LocalIndex>::max() - next <= products) {
      require(products < std::numeric_limits<LocalIndex>::max(), "sparse product: rows of too many products");
      if (where == nullptr) where = memory.take<LocalIndex>(columns = columns_of_b);
      std::fill(where, where + columns, -1);
      next = 0;
    }
    if (room >= products) return;
    const Index wanted = std::max(products, slab_entries);
    auto* const new_val = memory.take<double>(wanted);
    col = memory.take<LocalIndex>(wanted);
    val = new_val;
    room = wanted;  // not before both are there: without memory the thread's next blocks ask again
  }
  void advance(Index entries) {
    next += static_cast<LocalIndex>(entries);
    col += entries;
    val += entries;
    room -= entries;
  }
};

// The value or 0, whatever the value.
inline double kept_if(bool keep, double value) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) & (std::uint64_t{0} - std::uint64_t{keep}));
}

// One block; the ends of its rows, counted from its first entry, go to ends[row + 1].
Index multiply_block(const CrsView<double>& a, const FactorRows& b, Index first, Index end, const Bench& bench,
                     Index* ends) {
  const LocalIndex base = bench.next;
  LocalIndex *const where = bench.where, *const col = bench.col;
  double* const val = bench.val;
  LocalIndex at = base;
  for (Index row = first; row < end; ++row) {
    const LocalIndex start = at;
    for (Index e = a.ptr.data[row]; e < a.ptr.data[row + 1]; ++e) {
      const double factor = a.val.data[e];
      const RowEntries other = row_of(b, a.col.data[e]);
      for (Index n = 0; n < other.count; ++n) {
        // Whether the column is new is as good as random: without a branch.
        const LocalIndex column = other.col[n];
        const LocalIndex known = where[column];
        const bool is_new = known < start;
        const LocalIndex place = is_new ? at : known;
        where[column] = place;
        col[place - base] = column;
        val[place - base] = kept_if(!is_new, val[place - base]) + factor * other.val[n];
        at += is_new ? 1 : 0;
      }
    }
    ends[row + 1] = at - base;
  }
  return at - base;
}

// What a block has brought.
struct BlockResult {
  const LocalIndex* col = nullptr;
  const double* val = nullptr;
  Index entries = 0, start = 0;
};

// Keeps the first error of several threads.
class FirstError {
 public:
  template <class Work>
  void guard(const Work& work) {
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
    }
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr error_;
};

// Places of the blocks in C; returns the number of entries.
Index place_blocks(std::vector<BlockResult>& blocks) {
  Index sum = 0;
  for (BlockResult& block : blocks) {
    block.start = sum;
    sum += block.entries;
  }
  return sum;
}

// From where a block was made to its place; ptr has the ends of rows within the block and gets those within C.
void copy_block(const BlockResult& block, Index first, Index end, bool sorted, Index* ptr, LocalIndex* col, double* val,
                std::vector<std::pair<LocalIndex, double>>& room) {
  if (!sorted) {
    std::copy_n(block.col, block.entries, col + block.start);
    std::copy_n(block.val, block.entries, val + block.start);
  }
  Index from = 0;
  for (Index row = first; row < end; ++row) {
    const Index to = ptr[row + 1], at = block.start + from;
    if (sorted) sort_row(to - from, block.col + from, block.val + from, col + at, val + at, room);
    ptr[row + 1] = block.start + to;
    from = to;
  }
}

int threads_for(const Executor& executor, const Blocks& blocks) {
  return static_cast<int>(std::clamp<Index>(blocks.count(), 1, executor.threads()));
}

}  // namespace

Crs<double> host_product(const ExecutorPtr& executor, const CrsView<double>& a, const FactorRows& b, bool sorted) {
  const Blocks blocks(a.rows(), executor->threads());
  const int threads = threads_for(*executor, blocks);
  HostRoom memory(*executor);
  FirstError error;
  std::vector<BlockResult> results(static_cast<std::size_t>(blocks.count()));
  Crs<double> c;
  c.ptr = Array<Index, 1>(executor, {a.rows() + 1});
  Index* ptr = c.ptr.view().data;
  run_kernel(*executor, "sparse product", [&] {
    ptr[0] = 0;
#pragma omp parallel num_threads(threads)
    {
      Bench bench;
#pragma omp for schedule(dynamic)
      for (Index n = 0; n < blocks.count(); ++n) {
        error.guard([&] {
          bench.prepare(memory, b.columns, count_products(a, b, blocks.begin(n), blocks.end(n)));
          const Index entries = multiply_block(a, b, blocks.begin(n), blocks.end(n), bench, ptr);
          results[n] = {bench.col, bench.val, entries, 0};
          bench.advance(entries);
        });
      }
    }
  });
  executor->wait(executor->record(Queue::compute));
  error.rethrow();

  const Index entries = place_blocks(results);
  c.col = Array<LocalIndex, 1>(executor, {entries});
  c.val = Array<double, 1>(executor, {entries});
  LocalIndex* col = c.col.view().data;
  double* val = c.val.view().data;
  run_kernel(*executor, {sorted ? "sort rows" : "copy rows", 24.0 * static_cast<double>(entries)}, [&] {
#pragma omp parallel num_threads(threads)
    {
      std::vector<std::pair<LocalIndex, double>> room;
#pragma omp for schedule(static)
      for (Index n = 0; n < blocks.count(); ++n)
        error.guard([&] { copy_block(results[n], blocks.begin(n), blocks.end(n), sorted, ptr, col, val, room); });
    }
  });
  executor->wait(executor->record(Queue::compute));
  error.rethrow();
  return c;
}

namespace {

// Rows of a product whose pattern is known: where[column] is the place of the column's entry, counted from `first`'s.
void multiply_known(const CrsView<double>& a, const FactorRows& b, const KnownProduct& c, Index first, Index end,
                    LocalIndex* where) {
  for (Index row = first; row < end; ++row) {
    const Index start = c.ptr.data[row];
    double* val = c.val.data + start;
    for (Index e = start; e < c.ptr.data[row + 1]; ++e) {
      const LocalIndex column = c.col.data[e];
      where[c.column_of_b != nullptr ? c.column_of_b[column] : column] = static_cast<LocalIndex>(e - start);
      val[e - start] = 0;
    }
    for (Index e = a.ptr.data[row]; e < a.ptr.data[row + 1]; ++e) {
      const double factor = a.val.data[e];
      const RowEntries other = row_of(b, a.col.data[e]);
      for (Index n = 0; n < other.count; ++n) val[where[other.col[n]]] += factor * other.val[n];
    }
  }
}

}  // namespace

void host_product_again(const ExecutorPtr& executor, const CrsView<double>& a, const FactorRows& b,
                        const KnownProduct& c) {
  const Blocks blocks(a.rows(), executor->threads());
  const int threads = threads_for(*executor, blocks);
  HostRoom memory(*executor);
  FirstError error;
  run_kernel(*executor, "sparse product again", [&] {
#pragma omp parallel num_threads(threads)
    {
      LocalIndex* where = nullptr;
      error.guard([&] { where = memory.take<LocalIndex>(b.columns); });
#pragma omp for schedule(dynamic)
      for (Index n = 0; n < blocks.count(); ++n)
        if (where != nullptr) multiply_known(a, b, c, blocks.begin(n), blocks.end(n), where);
    }
  });
  executor->wait(executor->record(Queue::compute));
  error.rethrow();
}

}  // namespace halocline::sparse
