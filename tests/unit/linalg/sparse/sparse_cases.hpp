// Matrices that every rank knows whole, and how they are distributed, for tests of sparse matrices.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "lib/linalg/sparse/dist_crs.hpp"
#include "mpi/exchange.hpp"
#include "tests/unit/executors.hpp"

namespace halocline::sparse {

// Rows by their entries.
struct WholeMatrix {
  Index columns = 0;
  std::vector<std::map<Index, double>> rows;
  Index size() const { return static_cast<Index>(rows.size()); }
  Index entries() const {
    Index sum = 0;
    for (const auto& row : rows) sum += static_cast<Index>(row.size());
    return sum;
  }
  friend bool operator==(const WholeMatrix&, const WholeMatrix&) = default;
};

// Rows of 0 to `longest` entries, most of them near the diagonal.
inline WholeMatrix random_matrix(Index rows, Index columns, int longest, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  WholeMatrix whole{columns, std::vector<std::map<Index, double>>(static_cast<std::size_t>(rows))};
  for (Index i = 0; i < rows; ++i) {
    const int entries = static_cast<int>(random() % static_cast<unsigned>(longest + 1));
    for (int e = 0; e < entries; ++e) {
      const Index near =
          i * columns / rows + static_cast<Index>(random() % static_cast<unsigned>(3 * longest)) - longest;
      const Index anywhere = static_cast<Index>(random()) % columns;
      const Index column = random() % 4 == 0 ? anywhere : std::clamp<Index>(near, 0, columns - 1);
      whole.rows[static_cast<std::size_t>(i)][column] = value(random);
    }
  }
  return whole;
}

inline WholeMatrix transposed(const WholeMatrix& a) {
  WholeMatrix t{a.size(), std::vector<std::map<Index, double>>(static_cast<std::size_t>(a.columns))};
  for (Index i = 0; i < a.size(); ++i)
    for (const auto& [column, value] : a.rows[static_cast<std::size_t>(i)])
      t.rows[static_cast<std::size_t>(column)][i] = value;
  return t;
}

// Blocks that begin at multiples of `unit`, some of them empty.
inline Partition random_partition(Index count, Index unit, int parts, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Index> starts{0, count};
  for (int p = 1; p < parts; ++p) starts.push_back(static_cast<Index>(random()) % (count / unit + 1) * unit);
  std::sort(starts.begin(), starts.end());
  return Partition::from_starts(starts);
}

// Several devices on every rank of a communicator.
struct Devices {
  Devices(MPI_Comm communicator, TestDevice device, int each)
      : comm(communicator), team(make_test_executors(device, each), comm.rank() * each, comm.size() * each) {}
  Communicator comm;
  Team team;
  RowSpacePtr space(Partition partition, bool replicated = false) const {
    return std::make_shared<RowSpace>(comm, team, std::move(partition), replicated ? team.total_parts() : 0);
  }
  // Rows cut at random; the same on all ranks.
  RowSpacePtr space(Index count, Index unit, unsigned seed) const {
    return space(random_partition(count, unit, team.total_parts(), seed));
  }
};

// Calls work(devices, seed) for several numbers of parts and partitions; for two on emulated devices, whose memory is
// slow to open and close.
template <class Work>
void on_partitions(TestDevice device, const Work& work) {
  const bool host = device == TestDevice::omp_1 || device == TestDevice::omp_3;
  for (int each = host ? 1 : 2; each <= 3; ++each) {
    const Devices devices(MPI_COMM_WORLD, device, each);
    for (unsigned seed = 0; seed < (host ? 3 : 1); ++seed) work(devices, seed + static_cast<unsigned>(each));
  }
}

inline GlobalRows rows_of(const WholeMatrix& whole, const Range<1>& own, const ExecutorPtr& executor) {
  std::vector<Index> ptr{0}, col;
  std::vector<double> val;
  for (Index i = own.lo[0]; i < own.hi[0]; ++i) {
    for (const auto& [column, value] : whole.rows[static_cast<std::size_t>(i)]) {
      col.push_back(column);
      val.push_back(value);
    }
    ptr.push_back(static_cast<Index>(col.size()));
  }
  return {make_array(executor, ptr), make_array(executor, col), make_array(executor, val)};
}

inline DistCrs distribute(const WholeMatrix& whole, const RowSpacePtr& rows, const RowSpacePtr& columns) {
  std::vector<GlobalRows> parts;
  for (int p = 0; p < rows->team().parts(); ++p)
    parts.push_back(rows_of(whole, rows->own(p), rows->team().executor(p)));
  return {rows, columns, std::move(parts)};
}

// Rows of a part on the host.
struct HostCrs {
  std::vector<Index> ptr;
  std::vector<LocalIndex> col;
  std::vector<double> val;
};
inline HostCrs to_host(const Executor& executor, const CrsView<double>& rows) {
  HostCrs host;
  const auto copy = [&](auto& to, const auto& from) {
    to.resize(static_cast<std::size_t>(from.size()));
    if (!to.empty()) executor.copy_out(to.data(), from.data, to.size() * sizeof(to[0]));
  };
  copy(host.ptr, rows.ptr);
  copy(host.col, rows.col);
  copy(host.val, rows.val);
  return host;
}

// The global number of a local column.
inline Index global_column(const Ghosts& ghosts, const Range<1>& own, Index local) {
  if (local < ghosts.below) return ghosts.rows[static_cast<std::size_t>(local)];
  const Index place = local - ghosts.below;
  return place < own.size() ? own.lo[0] + place : ghosts.rows[static_cast<std::size_t>(local - own.size())];
}

// All rows of all ranks, on every rank. Columns of a row must ascend, unless `sorted` is false. Rows of a replicated
// matrix are those of the first part.
inline WholeMatrix collect(const DistCrs& a, bool sorted = true) {
  std::vector<Index> words;  // of every row its number, its length, its columns
  std::vector<double> values;
  const Team& team = a.team();
  const int parts = a.rows().replicated() ? (team.first_part() == 0 ? 1 : 0) : team.parts();
  for (int p = 0; p < parts; ++p) {
    const HostCrs rows = to_host(*team.executor(p), a.view(p));
    for (std::size_t i = 0; i + 1 < rows.ptr.size(); ++i) {
      words.insert(words.end(), {a.rows().own(p).lo[0] + static_cast<Index>(i), rows.ptr[i + 1] - rows.ptr[i]});
      for (Index e = rows.ptr[i]; e < rows.ptr[i + 1]; ++e) {
        words.push_back(global_column(a.ghosts(p), a.columns().own(p), rows.col[static_cast<std::size_t>(e)]));
        values.push_back(rows.val[static_cast<std::size_t>(e)]);
        if (sorted && e > rows.ptr[i]) {
          EXPECT_LT(words[words.size() - 2], words.back());
        }
      }
    }
  }
  WholeMatrix whole{a.columns().size(),
                    std::vector<std::map<Index, double>>(static_cast<std::size_t>(a.rows().size()))};
  const auto all_words = gather_lists(a.rows().comm(), words).values;
  const auto all_values = gather_lists(a.rows().comm(), values).values;
  auto value = all_values.begin();
  for (auto word = all_words.begin(); word != all_words.end();) {
    auto& row = whole.rows[static_cast<std::size_t>(word[0])];
    const auto end = word + 2 + word[1];
    for (word += 2; word != end; ++word) EXPECT_TRUE(row.emplace(*word, *value++).second);
  }
  return whole;
}

}  // namespace halocline::sparse
