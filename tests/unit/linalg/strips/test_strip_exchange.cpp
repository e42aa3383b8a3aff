// Lines cut between parts and ranks, bit by bit against lines solved one by one.
#include "lib/linalg/strips/chunked_exchange.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "lib/linalg/strips/solve_fields.hpp"
#include "tests/unit/executors.hpp"
#include "tests/unit/linalg/strips/field_cases.hpp"

namespace halocline::strips {
namespace {

// `parts` shares of strips, cut at random places that all ranks agree on.
Partition cut(Index strips, int parts, unsigned seed) {
  std::vector<Index> starts;
  for (Index s = 1; s < strips; ++s) starts.push_back(s);
  std::shuffle(starts.begin(), starts.end(), std::mt19937(seed));
  starts.resize(static_cast<std::size_t>(parts - 1));
  starts.push_back(0);
  starts.push_back(strips);
  std::sort(starts.begin(), starts.end());
  return Partition::from_starts(starts);
}

template <class T>
std::vector<T> rows_in(const std::vector<T>& field, const Range<1>& rows, Index columns) {
  return {field.begin() + rows.lo[0] * columns, field.begin() + rows.hi[0] * columns};
}

// The part of a field that one device holds.
template <class T>
Fields<T> part_of(const Fields<T>& f, const Range<1>& rows, Index columns) {
  const auto share = [&](const std::vector<T>& field) { return rows_in(field, rows, columns); };
  return {share(f.before), share(f.diagonal), share(f.behind), share(f.right), share(f.common), share(f.own), f.rows};
}

// How parts stand: in so many lines, a line behind the other or across the numbers of parts.
struct Table {
  int lines = 1;
  bool across = false;
};

Partition chunks_of_columns(Index columns, unsigned seed) {
  const std::vector<Index> starts[] = {{0, 24, columns}, {0, columns}, {0, 8, 16, 40, columns}};
  return Partition::from_starts(starts[seed % 3]);
}

// In as many chunks of columns as `seed` has it, of which one travels while others are reduced and resolved.
template <class T, class Line, class LineOf, class Input, class Expected>
void solves_in_parts(const Communicator& comm, const std::vector<ExecutorPtr>& executors, Index rows, bool periodic,
                     unsigned seed, const Table& table, const LineOf& line_of, const Input& input,
                     const Expected& expected) {
  const int devices = static_cast<int>(executors.size());
  const Team team(executors, comm.rank() * devices, comm.size() * devices);
  const StripLayout layout = strip_layout(rows);
  PartLine line{team.total_parts() / table.lines, 1};
  if (table.across) line.stride = table.lines;
  if (line.count * table.lines != team.total_parts() || layout.count < line.count) return;
  // Each line of parts has lines of its own.
  const auto columns_of = [&](int p) {
    const int part = team.first_part() + p;
    return Index{64} + 8 * (table.across ? part % table.lines : part / line.count);
  };
  const Partition strips = cut(layout.count, line.count, seed), planes = rows_of_strips(layout, strips);
  std::vector<Partition> chunks;
  std::vector<Fields<T>> fields;
  std::vector<OnDevice<T>> parts;
  std::vector<Line> lines;
  for (int p = 0; p < devices; ++p) {
    const Index columns = columns_of(p);
    chunks.push_back(chunks_of_columns(columns, seed));
    const Fields<T> whole =
        fields_of<T>(rows, columns, rows * columns, periodic, [&](Index l, Index i) { return i * columns + l; });
    fields.push_back(part_of(whole, planes.block(line.member(team.first_part() + p)), columns));
    parts.emplace_back(executors[p], fields[p], lanes, periodic);
    lines.push_back(line_of(parts[p]));
  }
  // Every second one is told how many lines the largest parts have, and asks no other rank.
  std::vector<Index> most;
  const Partition largest = chunks_of_columns(Index{64} + 8 * (table.lines - 1), seed);
  for (int n = 0; n < largest.parts() && seed % 2 == 1; ++n) most.push_back(largest.block(n).size());
  ChunkedExchange<T, Line> exchange(comm, team, line, strips, chunks, most);
  const auto field = [&](int p, const LineChunk<T>& chunk) {
    return LineField{1, chunk.columns.size(), 0, columns_of(p), 1, chunk.columns.lo[0]};
  };
  const auto reduce = [&](int p, const LineChunk<T>& chunk) {
    reduce_strips(*executors[p], "reduce", lines[p], chunk.own, field(p, chunk), chunk.ends, input(parts[p]));
  };
  const auto resolve = [&](int p, const LineChunk<T>& chunk) {
    resolve_strips(*executors[p], "resolve", lines[p], chunk.own, field(p, chunk), chunk.ends, input(parts[p]),
                   FieldValues<T>{parts[p].right.view().data});
  };
  for (int repeat = 0; repeat < 2; ++repeat) {
    for (int p = 0; p < devices; ++p) parts[p].right.assign(fields[p].right);
    exchange.solve(lines, reduce, resolve);
    for (int p = 0; p < devices; ++p)
      EXPECT_EQ(parts[p].right.to_host(), expected(fields[p])) << rows << " rows, " << table.lines << " lines, part "
                                                               << team.first_part() + p << " of " << team.total_parts();
  }
  if (table.lines == 1) {
    EXPECT_EQ(exchange.sent().bytes > 0, comm.size() > 1);
  } else if (!table.across && line.count <= devices && devices % line.count == 0) {
    EXPECT_EQ(exchange.sent().bytes, 0) << "lines of parts of one rank";
  }
}

template <class T>
void solves_common(const Communicator& comm, const std::vector<ExecutorPtr>& executors, Index rows, bool periodic,
                   unsigned seed, const Table& table = {}) {
  solves_in_parts<T, CommonLine<T>>(
      comm, executors, rows, periodic, seed, table, [](const OnDevice<T>& part) { return part.tables.line(); },
      [](OnDevice<T>& part) { return FieldValues<T>{part.right.view().data}; },
      [](const Fields<T>& f) { return f.common; });
}
template <class T>
void solves_own(const Communicator& comm, const std::vector<ExecutorPtr>& executors, Index rows, bool periodic,
                unsigned seed, const Table& table = {}) {
  solves_in_parts<T, OwnLine>(
      comm, executors, rows, periodic, seed, table, [](const OnDevice<T>& part) { return part.own(); },
      [](OnDevice<T>& part) { return part.rows(); }, [](const Fields<T>& f) { return f.own; });
}

class StripExchanges : public OnEveryExecutor {};

TEST_P(StripExchanges, SolveLinesThatPartsShare) {
  const Communicator world(MPI_COMM_WORLD);
  const unsigned seeds = world.size() > 2 ? 1 : 3;  // ranks that share processors are slow
  for (const int devices : {1, 2, 3}) {
    const auto executors = make_test_executors(GetParam(), devices);
    for (const Index rows : {30, 77, 200, 513})
      for (const bool periodic : {false, true})
        for (unsigned seed = 0; seed < seeds; ++seed) {
          solves_common<double>(world, executors, rows, periodic, seed);
          solves_own<double>(world, executors, rows, periodic, seed);
        }
    solves_common<float>(world, executors, 200, false, 7);
    solves_own<float>(world, executors, 200, true, 7);
  }
}

TEST_P(StripExchanges, ServeUpToSixteenPartsOfARank) {
  const Communicator self(MPI_COMM_SELF);
  const Communicator world(MPI_COMM_WORLD);
  if (world.size() > 1) GTEST_SKIP() << "once is enough";
  for (const int devices : {4, 5, 8, 16})  // the last ones send in two stages
    for (unsigned seed = 0; seed < 3; ++seed) {
      solves_common<double>(self, make_test_executors(GetParam(), devices), 200, seed == 1, seed);
      solves_own<double>(self, make_test_executors(GetParam(), devices), 200, seed == 1, seed);
    }
}

// As parts in boxes do, along y in rows of their table and along z in columns of it.
TEST_P(StripExchanges, SolveInSeveralLinesOfParts) {
  const Communicator world(MPI_COMM_WORLD);
  const std::vector<int> all = world.size() > 1 ? std::vector<int>{1, 2} : std::vector<int>{4, 6};
  for (const int devices : all)
    for (const int lines : {2, 3})
      for (const bool across : {false, true}) {
        const auto executors = make_test_executors(GetParam(), devices);
        solves_common<double>(world, executors, 200, across, 2, {lines, across});
        solves_own<double>(world, executors, 77, !across, 0, {lines, across});
      }
}

// Many parts of a line send in two stages.
TEST_P(StripExchanges, SolveInLinesOfManyParts) {
  const Communicator self(MPI_COMM_SELF);
  const Communicator world(MPI_COMM_WORLD);
  if (world.size() > 1 || GetParam() != TestDevice::omp_1) GTEST_SKIP() << "once is enough";
  for (const bool across : {false, true})
    solves_common<double>(self, make_test_executors(GetParam(), 32), 513, false, 2, {2, across});
}

INSTANTIATE_TEST_SUITE_P(Executors, StripExchanges, every_executor(), executor_name);

}  // namespace
}  // namespace halocline::strips
