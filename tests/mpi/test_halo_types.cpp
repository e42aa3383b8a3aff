// Halos of every type of values, forward and back, and the makers of links. Expected values are a function of the
// global position. No test stops at its first failure: the other ranks would wait for ever.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "lib/base/error.hpp"
#include "tests/mpi/halo_cases.hpp"

namespace halocline {
namespace {

INSTANTIATE_TEST_SUITE_P(Settings, HaloTest, testing::ValuesIn(settings()), setting_name);

// Calls work(T{}) for every T that halos know.
template <class Work>
void each_type(const Work& work) {
  work(double{});
  work(float{});
  work(std::int32_t{});
  work(std::int64_t{});
}

// Rows of other parts that part `part` asks for: none, one in ten or nearly all, the same on every rank.
std::vector<Index> wanted_rows(const Partition& rows, int part) {
  std::mt19937 random(static_cast<unsigned>(part));
  const unsigned share = part % 4 == 3 ? 0 : (part % 2 == 0 ? 10 : 90);
  const Range<1> own = rows.block(part);
  std::vector<Index> wanted;
  for (Index row = 0; row < rows.count(); ++row)
    if ((row < own.lo[0] || row >= own.hi[0]) && random() % 100 < share) wanted.push_back(row);
  return wanted;
}

// Parts whose data are some free places, wanted rows below, own rows, wanted rows above, some free places.
struct RowCase {
  static constexpr Index margin = 3;
  RowCase(const Communicator& comm, const Team& team) : rows(uneven_rows(team.total_parts())) {
    for (int p = 0; p < team.parts(); ++p) {
      const Range<1> block = rows.block(team.first_part() + p);
      wanted.push_back(wanted_rows(rows, team.first_part() + p));
      std::vector<Index>& row = row_at.emplace_back(margin, -1);
      for (const Index r : wanted.back())
        if (r < block.lo[0]) row.push_back(r);
      own.push_back(static_cast<Index>(row.size()));
      for (Index r = block.lo[0]; r < block.hi[0]; ++r) row.push_back(r);
      for (const Index r : wanted.back())
        if (r >= block.hi[0]) row.push_back(r);
      row.insert(row.end(), margin, -1);
      sizes.push_back(static_cast<Index>(row.size()));
    }
    links = row_links(comm, team, rows, wanted, own);
  }
  bool owns(int global, Index row) const { return row >= rows.block(global).lo[0] && row < rows.block(global).hi[0]; }

  Partition rows;
  std::vector<std::vector<Index>> wanted, row_at;  // of each part; row of each position, or -1
  std::vector<Index> own, sizes;
  Links links;
};

TEST_P(HaloTest, RowsByListInEveryType) {
  const RowCase rows(comm, team);
  each_type([&](auto zero) {
    using T = decltype(zero);
    Fields<T> fields(team, rows.sizes);
    Halo<T> halo(comm, team, rows.links);
    for (int round = 1; round <= 2; ++round) {
      const auto value = [=](Index row) { return static_cast<T>(100 * row + round); };
      fields.fill([&, first = team.first_part()](int part, Index i) {
        const Index row = rows.row_at[part][i];
        return rows.owns(first + part, row) ? value(row) : static_cast<T>(untouched);
      });
      halo.start(fields.const_views);
      halo.finish(fields.views);
      for (int part = 0; part < team.parts(); ++part) {
        std::vector<T> expected;
        for (const Index row : rows.row_at[part]) expected.push_back(row < 0 ? static_cast<T>(untouched) : value(row));
        EXPECT_EQ(fields.to_host(part), expected) << "part " << team.first_part() + part;
      }
    }
  });
}

// What each part holds of others' rows goes to their owners: in the order of the parts that hold them, and of rows.
TEST_P(HaloTest, GhostsGoBackToTheirOwners) {
  const RowCase rows(comm, team);
  std::vector<std::vector<std::pair<int, Index>>> holders(static_cast<std::size_t>(team.parts()));
  std::vector<Index> sizes;
  for (int part = 0; part < team.parts(); ++part) {
    for (int other = 0; other < total(); ++other)
      for (const Index row : wanted_rows(rows.rows, other))
        if (rows.owns(team.first_part() + part, row)) holders[part].push_back({other, row});
    sizes.push_back(static_cast<Index>(holders[part].size()) + 1);
  }
  each_type([&](auto zero) {
    using T = decltype(zero);
    const auto value = [](int part, Index row) { return static_cast<T>(10000 * part + row); };
    Fields<T> fields(team, rows.sizes), buffers(team, sizes);
    Halo<T> back(comm, team, reversed(rows.links));
    for (int round = 0; round < 2; ++round) {
      fields.fill([&, first = team.first_part()](int part, Index i) {
        const Index row = rows.row_at[part][i];
        return row < 0 || rows.owns(first + part, row) ? static_cast<T>(untouched) : value(first + part, row + round);
      });
      buffers.fill([](int, Index) { return static_cast<T>(untouched); });
      back.start(fields.const_views);
      back.finish(buffers.views);
      for (int part = 0; part < team.parts(); ++part) {
        std::vector<T> expected;
        for (const auto& [other, row] : holders[part]) expected.push_back(value(other, row + round));
        expected.push_back(static_cast<T>(untouched));
        EXPECT_EQ(buffers.to_host(part), expected) << "part " << team.first_part() + part;
      }
    }
  });
}

// Strided planes of every type, both ways: a part is a box of 3 x 4 x 5 with ghosts at either end of its last axis.
TEST_P(HaloTest, PlanesInEveryTypeAndBack) {
  constexpr Index nx = 3, ny = 4, nz = 5, plane = nx * ny;
  const auto at = [](Index k) { return IndexSet{k, {1, nx, ny}, {0, ny * nz, nz}, {}}; };
  const std::vector<NeighborSwaps> swaps(static_cast<std::size_t>(team.parts()), {{at(1), at(0)}, {at(3), at(4)}});
  const Links links = neighbor_links(team, swaps, true);
  each_type([&](auto zero) {
    using T = decltype(zero);
    Fields<T> fields(team, plane * nz), buffers(team, 2 * plane);
    Halo<T> halo(comm, team, links), back(comm, team, reversed(links));
    const auto value = [](int global, Index i) { return static_cast<T>(1000 * global + i); };
    fields.fill([&, first = team.first_part()](int part, Index i) { return value(first + part, i); });
    halo.start(fields.const_views);
    halo.finish(fields.views);
    back.start(fields.const_views);
    back.finish(buffers.views);
    for (int part = 0; part < team.parts(); ++part) {
      const int global = team.first_part() + part, before = (global + total() - 1) % total();
      std::vector<T> expected;
      for (Index i = 0; i < plane * nz; ++i) {
        const Index k = i % nz;
        expected.push_back(k == 0   ? value(before, i + 3)
                           : k == 4 ? value((global + 1) % total(), i - 3)
                                    : value(global, i));
      }
      EXPECT_EQ(fields.to_host(part), expected) << "part " << global;
      // What comes back are the part's own planes, in the order of its links.
      std::vector<T> own;
      for (const Link& link : links[part]) {
        for (Index n = 0; n < plane; ++n) own.push_back(value(global, n * nz + link.send.offset));
      }
      EXPECT_EQ(buffers.to_host(part), own) << "part " << global;
    }
  });
}

TEST_P(HaloTest, GatherGivesAllRowsToAll) {
  constexpr Index row_size = 3, offset = 2;
  const Partition rows = uneven_rows(total());
  Fields<float> fields(team, offset + rows.count() * row_size + 1);
  Halo<float> halo(comm, team, gather_links(team, rows, row_size, offset));
  const auto owned = [&](int global, Index i) {
    const Range<1> block = rows.block(global);
    return i >= offset + block.lo[0] * row_size && i < offset + block.hi[0] * row_size;
  };
  fields.fill([&, first = team.first_part()](int part, Index i) { return owned(first + part, i) ? i : untouched; });
  halo.start(fields.const_views);
  halo.finish(fields.views);
  std::vector<float> expected(static_cast<std::size_t>(offset + rows.count() * row_size + 1), untouched);
  for (Index i = offset; i < offset + rows.count() * row_size; ++i) expected[i] = static_cast<float>(i);
  for (int part = 0; part < team.parts(); ++part) EXPECT_EQ(fields.to_host(part), expected);
}

// Two lines before and one behind, in place and with more room than that; parts of 2, 3, 4 lines.
TEST_P(HaloTest, LinesOfNeighborsInPlace) {
  constexpr Index size = 4, room = 3;
  const auto lines_of = [](int global) { return Index{2 + global % 3}; };
  std::vector<Index> lines, sizes;
  for (int part = 0; part < team.parts(); ++part) {
    lines.push_back(lines_of(team.first_part() + part));
    sizes.push_back((lines.back() + 2 * room) * size);
  }
  Fields<std::int32_t> fields(team, sizes);
  Halo<std::int32_t> halo(comm, team, line_links(team, lines, size, {room, 2, 1}));
  const auto value = [](int global, Index line, Index n) { return static_cast<int>(1000 * global + 10 * line + n); };
  fields.fill([&, first = team.first_part()](int part, Index i) {
    const Index line = i / size - room;
    return line >= 0 && line < lines[part] ? value(first + part, line, i % size) : untouched;
  });
  halo.start(fields.const_views);
  halo.finish(fields.views);
  for (int part = 0; part < team.parts(); ++part) {
    const int global = team.first_part() + part;
    std::vector<std::int32_t> expected;
    for (Index i = 0; i < sizes[part]; ++i) {
      const Index line = i / size - room;
      int from = untouched;
      if (line >= 0 && line < lines[part]) from = value(global, line, i % size);
      if (line < 0 && line >= -2 && global > 0) from = value(global - 1, lines_of(global - 1) + line, i % size);
      if (line == lines[part] && global + 1 < total()) from = value(global + 1, 0, i % size);
      expected.push_back(from);
    }
    EXPECT_EQ(fields.to_host(part), expected) << "part " << global;
  }
  EXPECT_THROW(line_links(team, lines, size, {5, 5, 1}), InternalError);
  EXPECT_THROW(line_links(team, lines, size, {1, 2, 1}), InternalError);
}

TEST_P(HaloTest, EdgesInMemoryOfTheirOwn) {
  constexpr Index size = 3;
  std::vector<Index> lines, sizes;
  const auto lines_of = [](int global) { return Index{1 + global % 3}; };
  for (int part = 0; part < team.parts(); ++part) {
    lines.push_back(lines_of(team.first_part() + part));
    sizes.push_back(lines.back() * size);
  }
  Fields<double> fields(team, sizes), edges(team, 2 * size);
  Halo<double> halo(comm, team, edge_links(team, lines, size));
  fields.fill(
      [first = team.first_part()](int part, Index i) { return 100.0 * (first + part) + static_cast<double>(i); });
  edges.fill([](int, Index) { return 0.0; });
  halo.start(fields.const_views);
  halo.finish(edges.views);
  for (int part = 0; part < team.parts(); ++part) {
    const int global = team.first_part() + part;
    std::vector<double> expected(2 * size, 0.0);
    for (Index n = 0; n < size; ++n) {
      if (global > 0) expected[n] = 100.0 * (global - 1) + static_cast<double>((lines_of(global - 1) - 1) * size + n);
      if (global + 1 < total()) expected[size + n] = 100.0 * (global + 1) + static_cast<double>(n);
    }
    EXPECT_EQ(edges.to_host(part), expected) << "part " << global;
  }
}

TEST_P(HaloTest, RowLinksBringEachPartInOneStretch) {
  const RowCase rows(comm, team);
  for (const auto& links : rows.links) {
    int last = -1;
    for (const Link& link : links) {
      EXPECT_GT(link.part, last);
      last = link.part;
      EXPECT_TRUE(link.recv.list.empty());
    }
  }
}

TEST_P(HaloTest, RefusesRowsThatCannotBeBrought) {
  const Partition rows(3 * total(), 1, std::vector<double>(static_cast<std::size_t>(total()), 1.0));
  const std::vector<Index> own(static_cast<std::size_t>(team.parts()), 0);
  const Index mine = rows.block(team.first_part()).lo[0];
  for (const std::vector<Index>& wrong : {std::vector<Index>{-1}, {rows.count()}, {mine}, {mine + 4, mine + 3}}) {
    const std::vector<std::vector<Index>> wanted(static_cast<std::size_t>(team.parts()), wrong);
    EXPECT_THROW(row_links(comm, team, rows, wanted, own), InternalError);
  }
}

}  // namespace
}  // namespace halocline
