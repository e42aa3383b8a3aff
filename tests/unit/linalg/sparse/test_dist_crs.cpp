// Rows over parts: local numbers, ghosts, their links, and rows from triplets, against the whole matrix.
#include "lib/linalg/sparse/dist_crs.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "io/triplets.hpp"
#include "lib/linalg/sparse/matrix_digest.hpp"
#include "lib/linalg/sparse/rows_from_triplets.hpp"
#include "mpi/halo/halo.hpp"
#include "tests/unit/linalg/sparse/sparse_cases.hpp"

namespace halocline::sparse {
namespace {

using DistCrsTest = OnEveryExecutor;

void check_ghosts(const DistCrs& a, const WholeMatrix& whole) {
  for (int p = 0; p < a.team().parts(); ++p) {
    const Range<1> own = a.rows().own(p), columns = a.columns().own(p);
    std::set<Index> wanted;
    for (Index i = own.lo[0]; i < own.hi[0]; ++i)
      for (const auto& [column, value] : whole.rows[static_cast<std::size_t>(i)])
        if (column < columns.lo[0] || column >= columns.hi[0]) wanted.insert(column);
    const Ghosts& ghosts = a.ghosts(p);
    EXPECT_EQ(ghosts.rows, std::vector<Index>(wanted.begin(), wanted.end()));
    EXPECT_EQ(ghosts.below, std::distance(wanted.begin(), wanted.lower_bound(columns.lo[0])));
    EXPECT_EQ(a.local_columns(p), columns.size() + static_cast<Index>(wanted.size()));
  }
}

TEST_P(DistCrsTest, HasTheRowsItWasGiven) {
  on_partitions(GetParam(), [](const Devices& devices, unsigned seed) {
    const WholeMatrix whole = random_matrix(700, 500, 12, seed);
    const DistCrs a = distribute(whole, devices.space(700, 8, seed), devices.space(500, 1, seed + 10));
    EXPECT_EQ(collect(a), whole);
    EXPECT_EQ(a.entries(), whole.entries());
    check_ghosts(a, whole);
  });
}

// Of a part of a thousand: pieces of other parts that lie in any place among ten thousand million columns. What they
// take does not grow with these.
TEST_P(DistCrsTest, GhostsTakeRoomOfTheirOwn) {
  const ExecutorPtr executor = make_test_executors(GetParam(), 1).front();
  const Index all = 10'000'000'000, first = 4'000'000'000, own = 8'000'000;
  std::mt19937_64 random(5);
  std::set<Index> wanted{0, 1, 63, 64, first - 1, first + own, all - 1};
  for (int piece = 0; piece < 200; ++piece) {
    const Index begin = static_cast<Index>(random() % static_cast<std::uint64_t>(all));
    for (Index n = begin; n < std::min(begin + 300, all); n += 1 + static_cast<Index>(random() % 3))
      if (n < first || n >= first + own) wanted.insert(n);
  }
  const std::vector<Index> columns(wanted.begin(), wanted.end());
  const Array<Index, 1> list = make_array(executor, columns);
  const GhostSet set(executor, {{first}, {first + own}}, {{0}, {all}},
                     [&](const GhostMarks& marks) { mark_list(*executor, list, marks); });
  EXPECT_EQ(set.ghosts().rows, columns);
  const Index below = set.ghosts().below;
  EXPECT_EQ(below, std::distance(wanted.begin(), wanted.lower_bound(first)));
  EXPECT_LT(set.bytes(), static_cast<std::size_t>(all / 4096 + 264 * (2 * 200 + 5) + 1000));
  Array<LocalIndex, 1> local(executor, {list.size()});
  number_list(*executor, list, set.numbering(), local);
  std::vector<LocalIndex> right;
  for (Index n = 0; n < list.size(); ++n) right.push_back(static_cast<LocalIndex>(n < below ? n : n + own));
  EXPECT_EQ(local.to_host(), right);
}

TEST_P(DistCrsTest, IsKnownByItsDigest) {
  const WholeMatrix whole = random_matrix(300, 200, 12, 1);
  WholeMatrix other = whole, moved = whole;
  other.rows[17].begin()->second += 1e-9;
  moved.rows[18][199 - moved.rows[18].begin()->first] = 1;
  std::set<std::pair<Bits, Bits>> found;
  on_partitions(GetParam(), [&](const Devices& devices, unsigned seed) {
    const RowSpacePtr rows = devices.space(300, 8, seed), columns = devices.space(200, 1, seed + 10);
    const auto digest = [&](const WholeMatrix& matrix) { return digest_of(distribute(matrix, rows, columns)); };
    const MatrixDigest right = digest(whole);
    found.emplace(right.pattern, right.values);
    EXPECT_EQ(digest(other).pattern, right.pattern);
    EXPECT_NE(digest(other).values, right.values);
    EXPECT_NE(digest(moved).pattern, right.pattern);
  });
  EXPECT_EQ(found.size(), 1u);
}

TEST_P(DistCrsTest, HasNoGhostsWhereColumnsAreReplicated) {
  on_partitions(GetParam(), [](const Devices& devices, unsigned seed) {
    const WholeMatrix whole = random_matrix(300, 40, 5, seed);
    const RowSpacePtr all = devices.space(random_partition(40, 1, devices.team.total_parts(), seed), true);
    const DistCrs a = distribute(whole, devices.space(300, 8, seed), all);
    for (int p = 0; p < devices.team.parts(); ++p) EXPECT_EQ(a.ghosts(p).size(), 0);
    EXPECT_EQ(collect(a), whole);

    const WholeMatrix small = random_matrix(40, 40, 5, seed);
    const DistCrs b = distribute(small, all, all);
    EXPECT_EQ(collect(b), small);
    EXPECT_EQ(b.entries(), small.entries());
  });
}

TEST_P(DistCrsTest, LinksBringTheGhosts) {
  on_partitions(GetParam(), [](const Devices& devices, unsigned seed) {
    const WholeMatrix whole = random_matrix(700, 500, 12, seed);
    const DistCrs a = distribute(whole, devices.space(700, 8, seed), devices.space(500, 1, seed + 10));
    std::vector<Index> shift;
    std::vector<Array<double, 1>> arrays;
    std::vector<View<double, 1>> views;
    for (int p = 0; p < devices.team.parts(); ++p) {
      shift.push_back(p + static_cast<int>(seed));
      std::vector<double> values(static_cast<std::size_t>(a.local_columns(p) + shift[p]), -1);
      const Range<1> own = a.columns().own(p);
      for (Index i = 0; i < own.size(); ++i)
        values[static_cast<std::size_t>(shift[p] + a.ghosts(p).below + i)] = static_cast<double>(own.lo[0] + i);
      arrays.push_back(make_array(devices.team.executor(p), values));
      views.push_back(arrays.back().view());
    }
    Halo<double> halo(devices.comm, devices.team, a.ghost_links(shift));
    const std::vector<View<const double, 1>> from(views.begin(), views.end());
    halo.start(from);
    halo.finish(views);
    for (int p = 0; p < devices.team.parts(); ++p) {
      const std::vector<double> found = arrays[p].to_host();
      for (Index i = 0; i < a.local_columns(p); ++i)
        EXPECT_EQ(found[static_cast<std::size_t>(shift[p] + i)],
                  static_cast<double>(global_column(a.ghosts(p), a.columns().own(p), i)));
    }
  });
}

// A file of entries in any order, some of them several times, in which rank r has read the r-th piece.
struct File {
  WholeMatrix whole;
  Triplets mine;
};
File make_file(const Communicator& comm, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  File file{{500, std::vector<std::map<Index, double>>(700)}, {}};
  for (int n = 0; n < 5000; ++n) {
    const Index row = static_cast<Index>(random()) % 700 / 7 * 7, col = static_cast<Index>(random()) % 500 / 9 * 9;
    const double v = n % 50 == 0 ? 0 : value(random);
    const auto [place, fresh] = file.whole.rows[static_cast<std::size_t>(row)].emplace(col, v);
    if (!fresh) place->second += v;
    if (n * comm.size() / 5000 != comm.rank()) continue;
    file.mine.row.push_back(row);
    file.mine.col.push_back(col);
    file.mine.value.push_back(v);
  }
  return file;
}

TEST_P(DistCrsTest, RowsComeFromTriplets) {
  on_partitions(GetParam(), [](const Devices& devices, unsigned seed) {
    File file = make_file(devices.comm, seed);
    const RowSpacePtr rows = devices.space(700, 8, seed);
    const DistCrs a(rows, devices.space(500, 1, seed + 10),
                    rows_from_triplets(devices.comm, *rows, std::move(file.mine)));
    EXPECT_EQ(collect(a), file.whole);
  });
}

TEST_P(DistCrsTest, RefusesColumnsThatDoNotExist) {
  const Devices alone(MPI_COMM_SELF, GetParam(), 1);
  const auto make = [&](Index column) {
    std::vector<GlobalRows> parts;
    parts.push_back({make_array(alone.team.executor(0), std::vector<Index>{0, 0, 1}),
                     make_array(alone.team.executor(0), std::vector<Index>{column}),
                     make_array(alone.team.executor(0), std::vector<double>{1})});
    return DistCrs(alone.space(2, 1, 0), alone.space(3, 1, 0), std::move(parts)).entries();
  };
  EXPECT_EQ(make(2), 1);
  EXPECT_THROW(make(3), InternalError);
  EXPECT_THROW(make(-1), InternalError);
}

INSTANTIATE_TEST_SUITE_P(Executors, DistCrsTest, every_executor(), executor_name);

}  // namespace
}  // namespace halocline::sparse
