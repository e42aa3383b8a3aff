// Products of sparse matrices by hash tables. Some lanes share a row of C: they walk the entries of A's row in their
// order and cover one row of B at a time, whose columns are distinct. A column that is new takes a slot of the table by
// compare-and-swap and the next place in the row by a vote; its sum is added to by one lane at a time. So entries come
// in the order in which they arise on a host, and every sum has the order that it has there.
//
// Compiled without fused multiply-add. Rows of at most 384 entries are made by groups of lanes, many in a block; others
// by a block each, whose first warp does what is ordered, while all its threads clear, sort and store.
#include "lib/linalg/sparse/cuda/spgemm_hash.hpp"

#include <algorithm>

#include "gpu/block_kernel.hpp"
#include "lib/base/atomics.hpp"
#include "lib/linalg/sparse/bin_layout.hpp"

namespace halocline::sparse {
namespace {

constexpr LocalIndex no_column = -1;
constexpr unsigned group_threads = 128, block_threads = 256;
constexpr Index most_group_slots = 512, most_shared_slots = 4096;

// Threads that make a row. `lane` counts those that walk, `rank` all of them.
template <int Lanes>
struct GroupCrew {
  static constexpr int lanes = Lanes;
  using Place = unsigned short;
  int rank = static_cast<int>(threadIdx.x) % Lanes;
  unsigned first = threadIdx.x % 32 / Lanes * Lanes;  // of the warp's lanes
  unsigned mask = Lanes == 32 ? ~0U : ((1U << Lanes % 32) - 1) << first;
  __device__ int size() const { return Lanes; }
  __device__ bool walks() const { return true; }
  __device__ void meet() const { __syncwarp(mask); }
};
struct BlockCrew {
  static constexpr int lanes = 32;
  using Place = LocalIndex;
  int rank = static_cast<int>(threadIdx.x);
  unsigned first = 0, mask = ~0U;
  __device__ int size() const { return block_threads; }
  __device__ bool walks() const { return rank < lanes; }
  __device__ void meet() const { __syncthreads(); }
};

// What the row of one crew has: a table, columns and sums.
template <class Place>
struct RowMemory {
  double* val;
  LocalIndex *keys, *col;
  Place* place;  // of a slot's column in the row

  __device__ RowMemory(unsigned char* memory, Index slots, bool sums) {
    const Index room = sums ? room_of(slots) : 0;
    val = reinterpret_cast<double*>(memory);
    keys = reinterpret_cast<LocalIndex*>(val + room);
    col = keys + slots;
    place = reinterpret_cast<Place*>(col + room);
  }
  static Index bytes(Index slots, bool sums) {
    const Index table = slots * static_cast<Index>(sizeof(LocalIndex));
    return sums ? table + slots * static_cast<Index>(sizeof(Place)) +
                      room_of(slots) * static_cast<Index>(sizeof(LocalIndex) + sizeof(double))
                : table;
  }
};

// Open addressing. Slots are a power of two.
struct Table {
  LocalIndex* keys;
  unsigned slots;
  int shift;  // from a hash to a slot

  __device__ Table(LocalIndex* memory, Index size) : keys(memory), slots(static_cast<unsigned>(size)), shift(32) {
    for (unsigned n = slots; n > 1; n /= 2) --shift;
  }
  template <class Crew>
  __device__ void clear(const Crew& crew) const {
    for (unsigned n = static_cast<unsigned>(crew.rank); n < slots; n += static_cast<unsigned>(crew.size()))
      keys[n] = no_column;
  }
  // The slot of a column, which takes a free one if it has none; `slots` where there is none left.
  __device__ unsigned take(LocalIndex column, bool& fresh) const {
    unsigned slot = (static_cast<unsigned>(column) * 2654435769U) >> shift;
    for (unsigned n = 0; n < slots; ++n) {
      LocalIndex key = *static_cast<volatile LocalIndex*>(keys + slot);
      if (key == no_column) {
        key = atomicCAS(keys + slot, no_column, column);
        fresh = key == no_column;
      }
      if (fresh || key == column) return slot;
      slot = (slot + 1) & (slots - 1);
    }
    return slots;
  }
};

// Counts columns.
struct CountColumns {
  static constexpr bool sums = false;
  Table table;
  Index room, count = 0;
  // Whether to go on.
  template <class Crew>
  __device__ bool take(const Crew& crew, bool inside, LocalIndex column, double /*product*/) {
    bool fresh = false;
    if (inside) table.take(column, fresh);
    count += count_bits(__ballot_sync(crew.mask, fresh ? 1 : 0) & crew.mask);
    return count <= room;  // a table without a free slot is more than three quarters full
  }
};

// Sums products by column.
template <class Place>
struct SumColumns {
  static constexpr bool sums = true;
  Table table;
  RowMemory<Place> memory;
  Index count = 0;
  template <class Crew>
  __device__ bool take(const Crew& crew, bool inside, LocalIndex column, double product) {
    bool fresh = false;
    const unsigned slot = inside ? table.take(column, fresh) : 0;
    const unsigned votes = __ballot_sync(crew.mask, fresh ? 1 : 0) & crew.mask;
    if (fresh) {
      const unsigned below = (1U << (crew.first + static_cast<unsigned>(crew.rank))) - 1;
      const Index place = count + count_bits(votes & below);
      memory.place[slot] = static_cast<Place>(place);
      memory.col[place] = column;
      memory.val[place] = 0.0 + product;  // no negative zero, as in sums that begin with 0
    } else if (inside) {
      memory.val[memory.place[slot]] += product;
    }
    count += count_bits(votes);
    __syncwarp(crew.mask);
    return true;
  }
};

// Adds products to columns that are in the table.
template <class Place>
struct AddToColumns {
  static constexpr bool sums = true;
  Table table;
  RowMemory<Place> memory;
  template <class Crew>
  __device__ bool take(const Crew& crew, bool inside, LocalIndex column, double product) {
    bool fresh = false;
    if (inside) memory.val[memory.place[table.take(column, fresh)]] += product;
    __syncwarp(crew.mask);
    return true;
  }
};

// All products of a row, in order: row.take(crew, inside, column, product) in all lanes at a time.
template <class Crew, class Row>
__device__ void walk(const Crew& crew, const HashRows& work, Index number, Row& row) {
  constexpr int lanes = Crew::lanes;
  const Index end = work.a.ptr.data[number + 1];
  for (Index first = work.a.ptr.data[number]; first < end; first += lanes) {
    // Every lane looks up one entry of A, for all.
    double factor = 0;
    Index begin = 0;  // of a row of B; -1 - begin of a fetched one
    int length = 0;
    if (first + crew.rank < end) {
      const LocalIndex k = work.a.col.data[first + crew.rank];
      const bool own = work.b.is_own(k);
      const Index* ptr = (own ? work.b.own.ptr.data : work.b.fetched.ptr.data) + work.b.place(k);
      begin = own ? ptr[0] : -1 - ptr[0];
      length = static_cast<int>(ptr[1] - ptr[0]);
      if (Row::sums) factor = work.a.val.data[first + crew.rank];
    }
    const int entries = end - first < lanes ? static_cast<int>(end - first) : lanes;
    for (int entry = 0; entry < entries; ++entry) {
      const Index code = __shfl_sync(crew.mask, begin, entry, lanes);
      const int size = __shfl_sync(crew.mask, length, entry, lanes);
      const double times = Row::sums ? __shfl_sync(crew.mask, factor, entry, lanes) : 0;
      const LocalIndex* col = code >= 0 ? work.b.own.col.data : work.b.fetched.col.data;
      const double* val = code >= 0 ? work.b.own.val.data : work.b.fetched.val.data;
      const Index start = (code >= 0 ? code : -1 - code) + crew.rank;
      for (int at = 0; at < size; at += lanes) {
        const bool inside = at + crew.rank < size;
        const LocalIndex column = inside ? col[start + at] : no_column;
        const double product = Row::sums && inside ? times * val[start + at] : 0;
        if (!row.take(crew, inside, column, product)) return;
      }
    }
  }
}

// Work on one row of C by a crew: task(crew, work, row, memory).
struct CountTask {
  static constexpr bool sums = false;
  Index* count;
  FullRows full;
  template <class Crew>
  __device__ void operator()(const Crew& crew, const HashRows& work, LocalIndex number, unsigned char* memory) const {
    const Table table(RowMemory<typename Crew::Place>(memory, work.slots, false).keys, work.slots);
    table.clear(crew);
    crew.meet();
    if (!crew.walks()) return;
    CountColumns row{table, room_of(work.slots)};
    walk(crew, work, number, row);
    if (crew.rank != 0) return;
    if (row.count > row.room) {
      full.rows[atomicAdd(full.count, 1)] = number;
    } else {
      count[number] = row.count;
    }
  }
};

struct SumTask {
  static constexpr bool sums = true;
  MadeRows made;
  template <class Crew>
  __device__ void operator()(const Crew& crew, const HashRows& work, LocalIndex number, unsigned char* memory) const {
    const RowMemory<typename Crew::Place> own(memory, work.slots, true);
    const Table table(own.keys, work.slots);
    table.clear(crew);
    crew.meet();
    if (crew.walks()) {
      SumColumns<typename Crew::Place> row{table, own};
      walk(crew, work, number, row);
    }
    crew.meet();
    const Index start = made.ptr[number], count = made.ptr[number + 1] - start;
    for (Index n = crew.rank; n < count; n += crew.size()) {
      const LocalIndex column = own.col[n];
      Index at = n;
      if (made.sorted) {
        at = 0;
        for (Index other = 0; other < count; ++other) at += own.col[other] < column ? 1 : 0;
      }
      made.col[start + at] = column;
      made.val[start + at] = own.val[n];
    }
  }
};

struct AddTask {
  static constexpr bool sums = true;
  KnownProduct known;
  template <class Crew>
  __device__ void operator()(const Crew& crew, const HashRows& work, LocalIndex number, unsigned char* memory) const {
    using Place = typename Crew::Place;
    const RowMemory<Place> own(memory, work.slots, true);
    const Table table(own.keys, work.slots);
    table.clear(crew);
    crew.meet();
    const Index start = known.ptr.data[number], count = known.ptr.data[number + 1] - start;
    for (Index n = crew.rank; n < count; n += crew.size()) {
      const LocalIndex column = known.col.data[start + n];
      bool fresh = false;
      own.place[table.take(known.column_of_b != nullptr ? known.column_of_b[column] : column, fresh)] =
          static_cast<Place>(n);
      own.val[n] = 0;
    }
    crew.meet();
    if (crew.walks()) {
      AddToColumns<Place> row{table, own};
      walk(crew, work, number, row);
    }
    crew.meet();
    for (Index n = crew.rank; n < count; n += crew.size()) known.val.data[start + n] = own.val[n];
  }
};

// Bytes of a group's row, shifted so that groups begin in different banks.
template <int Lanes>
__host__ __device__ inline Index group_bytes(Index row_bytes) {
  return row_bytes + Lanes * static_cast<Index>(sizeof(LocalIndex));
}

template <int Lanes, class Task>
__global__ void __launch_bounds__(group_threads) run_groups(HashRows work, Index row_bytes, Task task) {
  constexpr Index groups = group_threads / Lanes;
  const Index group = threadIdx.x / Lanes, n = blockIdx.x * groups + group;
  if (n < work.count)
    task(GroupCrew<Lanes>(), work, work.rows[n],
         dynamic_shared<unsigned char>() + group * group_bytes<Lanes>(row_bytes));
}

// Tables in shared memory, or one of every block in the device's.
template <class Task>
__global__ void __launch_bounds__(block_threads) run_blocks(HashRows work, Index row_bytes, Task task) {
  unsigned char* memory =
      work.memory != nullptr ? work.memory + blockIdx.x * row_bytes : dynamic_shared<unsigned char>();
  for (Index n = blockIdx.x; n < work.count; n += gridDim.x) {
    task(BlockCrew(), work, work.rows[n], memory);
    __syncthreads();
  }
}

template <int Lanes, class Task>
void launch_groups(const Executor& executor, const Label& label, const HashRows& work, const Task& task) {
  constexpr Index groups = group_threads / Lanes;
  const Index row_bytes = RowMemory<unsigned short>::bytes(work.slots, Task::sums);
  launch_blocks(executor, label,
                {{static_cast<unsigned>((work.count + groups - 1) / groups)},
                 {group_threads},
                 static_cast<std::size_t>(groups * group_bytes<Lanes>(row_bytes))},
                run_groups<Lanes, Task>, work, row_bytes, task);
}

template <class Task>
void launch_task(const Executor& executor, const Label& label, const HashRows& work, const Task& task) {
  if (work.count == 0) return;
  if (work.memory == nullptr && work.slots <= most_group_slots) {
    switch (work.lanes) {
      case 4:
        return launch_groups<4>(executor, label, work, task);
      case 8:
        return launch_groups<8>(executor, label, work, task);
      case 16:
        return launch_groups<16>(executor, label, work, task);
      default:
        return launch_groups<32>(executor, label, work, task);
    }
  }
  const bool shared = work.memory == nullptr;
  require(!shared || work.slots <= most_shared_slots, "sparse product: a table beyond shared memory");
  const Index row_bytes = RowMemory<LocalIndex>::bytes(work.slots, shared ? Task::sums : true);
  const Index blocks = std::min(work.count, shared ? work.count : work.tables);
  launch_blocks(
      executor, label,
      {{static_cast<unsigned>(blocks)}, {block_threads}, shared ? static_cast<std::size_t>(row_bytes) : std::size_t{0}},
      run_blocks<Task>, work, row_bytes, task);
}

}  // namespace

Index bytes_of_table(Index slots) { return RowMemory<LocalIndex>::bytes(slots, true); }

void count_by_hash(const Executor& executor, const HashRows& work, Index* count, const FullRows& full) {
  launch_task(executor, "count entries of a product", work, CountTask{count, full});
}

void sum_by_hash(const Executor& executor, const HashRows& work, const MadeRows& made) {
  launch_task(executor, "sum entries of a product", work, SumTask{made});
}

void sum_known_by_hash(const Executor& executor, const HashRows& work, const KnownProduct& known) {
  launch_task(executor, "sum entries of a product again", work, AddTask{known});
}

}  // namespace halocline::sparse
