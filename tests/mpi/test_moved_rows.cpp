// Rows that change hands between partitions with empty blocks, ghosts between parts that hold something, and gathers in
// stages, on every kind of device.
#include "tests/mpi/halo_cases.hpp"

#include "mpi/halo/moved_rows.hpp"

namespace halocline {
namespace {

constexpr Index row_size = 3, room = 2, count = 23;

float value(Index row, Index n) { return static_cast<float>(10 * row + n + 1); }

// Blocks of unequal size, every `group`-th part alone holding any; of `shift` 1 they begin elsewhere.
Partition blocks(int parts, int group, int shift) {
  std::vector<Index> starts{0};
  const int holders = (parts + group - 1) / group;
  for (int p = 1; p < parts; ++p) {
    const Index holder = (p + group - 1) / group;
    starts.push_back(holder < holders ? (holder * count + (holder * shift) % 5) / holders : count);
  }
  starts.push_back(count);
  return Partition::from_starts(std::move(starts));
}

class MovedRows : public HaloTest {
 protected:
  std::vector<Index> sizes(const Partition& rows) const {
    std::vector<Index> all;
    for (int p = 0; p < team.parts(); ++p)
      all.push_back((rows.block(team.first_part() + p).size() + 2 * room) * row_size);
    return all;
  }
  std::vector<Index> places() const {
    return std::vector<Index>(static_cast<std::size_t>(team.parts()), room * row_size);
  }
  // Of part `global`; ghosts of `ghosts`, where it has rows.
  static std::vector<float> expected(const Partition& rows, int global, const RowGhosts& ghosts) {
    const Range<1> own = rows.block(global);
    std::vector<float> all(static_cast<std::size_t>((own.size() + 2 * room) * row_size), untouched);
    if (own.size() == 0) return all;
    for (Index i = -ghosts.before; i < own.size() + ghosts.behind; ++i) {
      const Index row = own.lo[0] + i;
      if ((row < 0 || row >= count) && !ghosts.periodic) continue;
      for (Index n = 0; n < row_size; ++n) all[(room + i) * row_size + n] = value((row + count) % count, n);
    }
    return all;
  }
  void fill_own(Fields<float>& fields, const Partition& rows) const {
    fields.fill([&, first = team.first_part()](int part, Index i) {
      const Range<1> own = rows.block(first + part);
      const Index row = i / row_size - room;
      return row >= 0 && row < own.size() ? value(own.lo[0] + row, i % row_size) : untouched;
    });
  }
};

INSTANTIATE_TEST_SUITE_P(Settings, MovedRows, testing::ValuesIn(settings()), setting_name);

TEST_P(MovedRows, GoToWhoeverIsToHaveThem) {
  for (const RowGhosts& ghosts : {RowGhosts{}, RowGhosts{0, 1, false}, RowGhosts{2, 1, true}})
    for (const int from : {1, 2, 5})
      for (const int to : {1, 3}) {
        const Partition old = blocks(total(), from, 1), rows = blocks(total(), to, 2);
        Fields<float> sent(team, sizes(old)), received(team, sizes(rows));
        Halo<float> halo(comm, team, move_links(team, old, rows, ghosts, row_size, places(), places()));
        fill_own(sent, old);
        received.fill([](int, Index) { return untouched; });
        halo.start(sent.const_views);
        halo.finish(received.views);
        for (int p = 0; p < team.parts(); ++p)
          EXPECT_EQ(received.to_host(p), expected(rows, team.first_part() + p, ghosts)) << from << " to " << to;
      }
}

// Also where a neighbor has fewer rows than are wanted.
TEST_P(MovedRows, GhostsComeFromPartsThatHoldSomething) {
  for (const bool periodic : {false, true})
    for (const int group : {1, 2, 4}) {
      const RowGhosts ghosts{2, 1, periodic};
      const Partition rows = blocks(total(), group, 0);
      Fields<float> fields(team, sizes(rows));
      Halo<float> halo(comm, team, ghost_row_links(team, rows, ghosts, row_size, places()));
      fill_own(fields, rows);
      halo.start(fields.const_views);
      halo.finish(fields.views);
      for (int p = 0; p < team.parts(); ++p)
        EXPECT_EQ(fields.to_host(p), expected(rows, team.first_part() + p, ghosts)) << group << ' ' << periodic;
    }
}

TEST_P(MovedRows, StagesGiveAllRowsToAllWhoHoldThem) {
  for (const bool some : {false, true}) {
    const int group = some ? 2 : 1;
    const Partition rows = blocks(total(), group, 1);
    std::vector<int> holders;
    for (int p = 0; some && p < total(); p += group) holders.push_back(p);
    Fields<float> fields(team, room * row_size + count * row_size);
    const auto stages = gather_stages(team, rows, row_size, room * row_size, holders);
    const int number = some ? static_cast<int>(holders.size()) : total();
    EXPECT_LE(stages.size(), number <= most_direct ? 1U : 4U);
    fields.fill([&, first = team.first_part()](int part, Index i) {
      const Index row = i / row_size - room;
      const Range<1> own = rows.block(first + part);
      return row >= own.lo[0] && row < own.hi[0] ? value(row, i % row_size) : untouched;
    });
    for (const Links& links : stages) {
      Halo<float> halo(comm, team, links);
      halo.start(fields.const_views);
      halo.finish(fields.views);
    }
    for (int p = 0; p < team.parts(); ++p) {
      const std::vector<float> found = fields.to_host(p);
      const bool holds = !some || (team.first_part() + p) % group == 0;
      for (Index row = 0; holds && row < count; ++row)
        for (Index n = 0; n < row_size; ++n) ASSERT_EQ(found[(room + row) * row_size + n], value(row, n)) << row;
    }
  }
}

}  // namespace
}  // namespace halocline
