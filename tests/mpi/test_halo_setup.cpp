// Set-up of halos: how little it takes and what it refuses; and turns, which are made of halos. Part of the program
// test_halo_types. No test stops at its first failure: the other ranks would wait for ever.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/error.hpp"
#include "mpi/halo/link_checks.hpp"
#include "mpi/halo/turn.hpp"
#include "tests/mpi/count_calls.hpp"
#include "tests/mpi/halo_cases.hpp"

namespace halocline {
namespace {

// Words of a few reductions, whatever the number of ranks; messages to neighbors alone tell where doors lead.
TEST_P(HaloTest, SetUpIsShort) {
  if (GetParam().devices == 0) return;  // unequal numbers of devices take a number per rank
  const Links links = line_links(team, std::vector<Index>(static_cast<std::size_t>(team.parts()), 4), 3, {1, 1, 1});
  const auto make = [&] { const Halo<double> halo(comm, team, links); };
  make();  // opens the doors
  const MpiCalls before = mpi_calls();
  make();
  const MpiCalls calls = mpi_calls() - before;
  const bool doors = GetParam().transfer == Transfer::ipc;
  EXPECT_LE(calls.messages, doors ? 4U : 0U);
  EXPECT_EQ(calls.collectives, 1U);
  EXPECT_LE(calls.bytes, doors ? 400U : 24U);
}

TEST_P(HaloTest, RefusesLinksThatDoNotMatch) {
  Links links(static_cast<std::size_t>(team.parts()));
  const auto expect_fault = [&](const Links& wrong, const std::string& fault) {
    try {
      const Halo<double> halo(comm, team, wrong);
      ADD_FAILURE() << "no fault found";
    } catch (const InternalError& error) {
      EXPECT_NE(std::string(error.what()).find(fault), std::string::npos) << error.what();
    }
  };
  if (total() > 1) {  // part 0 sends two values to the last part, which expects one
    const int last = total() - 1;
    const std::string pair = "what part 0 sends to part " + std::to_string(last) + " is not what that one expects";
    const std::string told = comm.size() > 1 ? pair : "the links of two parts differ in size";
    if (team.first_part() == 0) links.front().push_back({last, IndexSet::run(0, 2), {}});
    if (team.first_part() + team.parts() == total()) links.back().push_back({0, {}, IndexSet::run(0, 1)});
    expect_fault(links, told);
    // As many values in all, in stretches of other lengths.
    for (auto& own : links) own.clear();
    if (team.first_part() == 0) links.front() = {{last, IndexSet::run(0, 2), {}}, {last, IndexSet::run(2, 1), {}}};
    if (team.first_part() + team.parts() == total())
      links.back() = {{0, {}, IndexSet::run(0, 1)}, {0, {}, IndexSet::run(1, 2)}};
    expect_fault(links, told);
    // One of the two knows nothing of it.
    if (team.first_part() + team.parts() == total()) links.back().clear();
    if (comm.size() > 1) expect_fault(links, pair);
    for (auto& own : links) own.clear();
    if (team.first_part() + team.parts() == total()) links.back() = {{0, {}, IndexSet::run(0, 1)}};
    if (comm.size() > 1) expect_fault(links, pair);
  }
  // Within one rank, while the links of the others are right: they throw as well, instead of waiting.
  for (auto& own : links) own.clear();
  if (team.first_part() == 0) links.front().push_back({0, IndexSet::run(0, 2), IndexSet::run(2, 1)});
  expect_fault(links,
               comm.rank() == 0 ? "the links of two parts differ in size" : "the links of another rank are wrong");
  for (auto& own : links) own.clear();
  if (team.first_part() == 0) links.front().push_back({total(), IndexSet::run(0, 2), {}});
  EXPECT_THROW(Halo<double>(comm, team, links), InternalError);
  Links too_many(static_cast<std::size_t>(team.parts()) + 1);
  EXPECT_THROW(Halo<double>(comm, team, too_many), InternalError);
}

// Of a set-up, with three halos: the second's part 0 sends `wrong` values more than the last part expects.
struct WaitingHalos {
  WaitingHalos(const Communicator& comm, const Team& team, Index wrong) : team(team), checks(team) {
    const std::vector<Index> rows(static_cast<std::size_t>(team.parts()), 4);
    const Links good = line_links(team, rows, 3, {1, 1, 1});
    Links bad = good;
    const int last = team.total_parts() - 1;
    if (team.first_part() == 0) bad.front().push_back({last, IndexSet::run(0, 1 + wrong), {}});
    if (team.first_part() + team.parts() > last) bad.back().push_back({0, {}, IndexSet::run(0, 1)});
    for (const Links* links : std::initializer_list<const Links*>{&good, &bad, &good})
      halos.push_back(std::make_unique<Halo<double>>(comm, team, *links));
  }
  const Team& team;
  LinkChecks checks;
  std::vector<std::unique_ptr<Halo<double>>> halos;
};

TEST_P(HaloTest, LinksOfASetUpAreComparedTogether) {
  if (GetParam().devices == 0 || GetParam().transfer == Transfer::ipc || total() == 1) return;  // as above
  const auto calls_of = [](const auto& work) {
    const MpiCalls before = mpi_calls();
    work();
    return mpi_calls() - before;
  };
  std::unique_ptr<WaitingHalos> made;
  const Index wrong = 0;
  EXPECT_EQ(calls_of([&] { made = std::make_unique<WaitingHalos>(comm, team, wrong); }).collectives, 0U);
  made->halos.front().reset();  // one that nobody came to use
  const MpiCalls together = calls_of([&] { made->checks.settle(comm); });
  EXPECT_EQ(together.collectives, 1U);
  EXPECT_EQ(together.bytes, 24U);
  EXPECT_EQ(calls_of([&] { made->checks.close(comm); }).collectives, 0U);
  EXPECT_EQ(
      calls_of([&] { const Halo<double> halo(comm, team, Links(static_cast<std::size_t>(team.parts()))); }).collectives,
      1U);
  // The first exchange of any does it for all.
  made.reset();
  made = std::make_unique<WaitingHalos>(comm, team, wrong);
  Fields<double> fields(team, std::vector<Index>(static_cast<std::size_t>(team.parts()), 64));
  fields.fill([](int, Index) { return 0.0; });
  const auto exchange = [&](std::size_t n) {
    made->halos[n]->start(fields.const_views);
    made->halos[n]->finish(fields.views);
  };
  EXPECT_EQ(calls_of([&] { exchange(2); }).collectives, 1U);
  EXPECT_EQ(calls_of([&] { exchange(1); }).collectives, 0U);
}

TEST_P(HaloTest, FaultsOfLinksOfASetUpAreToldOnAllRanks) {
  if (comm.size() == 1) return;  // told where such a halo is made
  const auto fault_of = [](const auto& work) {
    try {
      work();
    } catch (const InternalError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string pair = "what part 0 sends to part " + std::to_string(total() - 1) + " is not what that one expects";
  WaitingHalos wrong(comm, team, 2);
  EXPECT_NE(fault_of([&] { wrong.checks.settle(comm); }).find(pair), std::string::npos);
  // Two halos in another order on the last rank: as many values in all.
  LinkChecks checks(team);
  std::vector<std::unique_ptr<Halo<double>>> halos;
  for (const Index values : {1, 2}) {
    Links links(static_cast<std::size_t>(team.parts()));
    if (team.first_part() == 0) links.front().push_back({total() - 1, IndexSet::run(0, values), {}});
    if (team.first_part() + team.parts() == total()) links.back().push_back({0, {}, IndexSet::run(0, 3 - values)});
    halos.push_back(std::make_unique<Halo<double>>(comm, team, links));
  }
  EXPECT_NE(fault_of([&] { checks.settle(comm); }).find(pair), std::string::npos);
  halos.clear();
  // What a rank finds in its own links.
  Links own(static_cast<std::size_t>(team.parts()));
  if (comm.rank() == 0) own.front().push_back({total(), IndexSet::run(0, 2), {}});
  std::optional<Halo<double>> halo;
  EXPECT_EQ(fault_of([&] { halo.emplace(comm, team, own); }), "");
  EXPECT_NE(fault_of([&] { checks.settle(comm); }), "");
}

// What turns bring, in one stage and in two: all but the places of rows and columns of a part is left as it was.
struct TurnCase {
  static constexpr Index kinds = 2, margin = 3;
  TurnCase(const Team& team, const TurnShape& shape) : team(team), shape(shape) {
    for (int p = 0; p < team.parts(); ++p) {
      const Index columns = shape.columns.block(part(p)).size();
      by_rows.push_back({margin, kinds * width() + 5, width() + 2});
      by_columns.push_back(margin);
      row_sizes.push_back(2 * margin + (shape.rows.block(part(p)).size() + shape.overlap) * by_rows.back().row);
      column_sizes.push_back(2 * margin + shape.rows.count() * kinds * columns);
    }
  }
  int part(int p) const { return team.first_part() + p; }
  Index width() const { return shape.columns.count(); }

  // Calls use(place, number) for the values that a part holds by rows, `more` rows behind its own included, and by
  // columns; a number tells row, kind and column.
  template <class Use>
  void each_by_rows(int p, Index more, const Use& use) const {
    const Range<1> own = shape.rows.block(part(p));
    for (Index row = own.lo[0]; row < std::min(own.hi[0] + more, shape.rows.count()); ++row)
      for (Index kind = 0; kind < kinds; ++kind)
        for (Index column = 0; column < width(); ++column)
          use(margin + (row - own.lo[0]) * by_rows[p].row + kind * by_rows[p].kind + column,
              (row * kinds + kind) * width() + column);
  }
  template <class Use>
  void each_by_columns(int p, const Use& use) const {
    const Range<1> own = shape.columns.block(part(p));
    for (Index row = 0; row < shape.rows.count(); ++row)
      for (Index kind = 0; kind < kinds; ++kind)
        for (Index column = own.lo[0]; column < own.hi[0]; ++column)
          use(margin + (row * kinds + kind) * own.size() + column - own.lo[0], (row * kinds + kind) * width() + column);
  }

  const Team& team;
  TurnShape shape;
  std::vector<TurnRows> by_rows;
  std::vector<Index> by_columns, row_sizes, column_sizes;
};

// Messages of this rank: within the columns of a grid that is as square as possible, and within its rows.
Index messages_of_two_stages(const Team& team) {
  int rows = 1;
  for (int r = 2; r * r <= team.total_parts(); ++r)
    if (team.total_parts() % r == 0) rows = r;
  const int columns = team.total_parts() / rows;
  const auto elsewhere = [&](int part) { return part < team.first_part() || part >= team.first_part() + team.parts(); };
  Index messages = 0;
  for (int p = team.first_part(); p < team.first_part() + team.parts(); ++p)
    for (int other = 0; other < team.total_parts(); ++other)
      messages += elsewhere(other) && (other % columns == p % columns || other / columns == p / columns) ? 1 : 0;
  return messages;
}

TEST_P(HaloTest, TurnsInOneStageAndInTwo) {
  const int parts = total();
  const std::vector<double> equal(static_cast<std::size_t>(parts), 1.0);
  const Partition even(3 * parts + 1, 1, equal), columns(2 * parts + 3, 1, equal);
  for (const TurnStages stages : {TurnStages::one, TurnStages::two})
    for (const TurnShape& shape :
         {TurnShape{even, columns, TurnCase::kinds, 1}, TurnShape{uneven_rows(parts), columns, TurnCase::kinds, 2},
          TurnShape{even, uneven_rows(parts), TurnCase::kinds, 0}}) {
      const TurnCase turned(team, shape);
      Fields<double> rows(team, turned.row_sizes), cut(team, turned.column_sizes), back(team, turned.row_sizes);
      const auto expected = [&](const auto& each, int p, Index size) {
        std::vector<double> values(static_cast<std::size_t>(size), untouched);
        each(p,
             [&](Index place, Index value) { values[static_cast<std::size_t>(place)] = static_cast<double>(value); });
        return values;
      };
      const auto by_rows = [&](Index more) {
        return [&, more](int p, const auto& use) { turned.each_by_rows(p, more, use); };
      };
      const auto by_columns = [&](int p, const auto& use) { turned.each_by_columns(p, use); };
      std::vector<std::vector<double>> owned;
      for (int p = 0; p < team.parts(); ++p) owned.push_back(expected(by_rows(0), p, turned.row_sizes[p]));
      rows.fill([&](int p, Index i) { return owned[p][i]; });
      for (Fields<double>* fields : {&cut, &back}) fields->fill([](int, Index) { return untouched; });
      Turn<double> forth(comm, team, shape, TurnWay::to_columns, turned.by_rows, turned.by_columns, stages);
      Turn<double> home(comm, team, shape, TurnWay::to_rows, turned.by_rows, turned.by_columns, stages);
      forth.start(rows.const_views);
      forth.finish(cut.views);
      home.start(cut.const_views);
      home.finish(back.views);
      for (int p = 0; p < team.parts(); ++p) {
        EXPECT_EQ(cut.to_host(p), expected(by_columns, p, turned.column_sizes[p]));
        EXPECT_EQ(back.to_host(p), expected(by_rows(shape.overlap), p, turned.row_sizes[p]));
      }
      if (forth.stages() == 2 && shape.overlap == 1 && GetParam().transfer != Transfer::ipc) {
        EXPECT_EQ(forth.sent().messages, messages_of_two_stages(team));
      }
    }
}

// Two stages where messages of one stage would be smaller than what travels while one is sent and received, 50 kB.
TEST(TurnStages, FollowTheSizeOfAMessage) {
  for (const int parts : {16, 64, 1000, 1024}) {
    EXPECT_TRUE(turns_in_two_stages(parts, parts * 49e3)) << parts;
    EXPECT_FALSE(turns_in_two_stages(parts, parts * 51e3)) << parts;
  }
  EXPECT_FALSE(turns_in_two_stages(15, 0)) << "few parts save little";
  EXPECT_FALSE(turns_in_two_stages(1021, 0)) << "a prime has no grid";
  EXPECT_FALSE(turns_in_two_stages(16, 4.0 * 2048 * 2048 * 8)) << "the closed form with 2048 x 2048 elements a part";
}

}  // namespace
}  // namespace halocline
