// How lines are cut and which nodes are joined where; lines cut into parts, bit by bit against the whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>

#include "lib/linalg/strips/line_kernels.hpp"
#include "tests/unit/linalg/strips/line_cases.hpp"

namespace halocline::strips {
namespace {

TEST(StripLayout, CutsLinesIntoStripsOfOneLengthOrOneMore) {
  for (Index n = 1; n <= 5000; ++n) {
    const StripLayout layout = strip_layout(n);
    const Index length = strip_length(n);
    EXPECT_EQ(layout.begin(0), 0);
    EXPECT_EQ(layout.begin(layout.count), n);
    for (Index s = 0; s < layout.count && n >= 2; ++s) {
      EXPECT_TRUE(layout.size(s) == length || layout.size(s) == length + 1) << n << ", strip " << s;
      EXPECT_LE(layout.size(s), longest_strip);
    }
  }
  EXPECT_EQ(strip_layout(513).count, 32);
  EXPECT_EQ(strip_layout(81).count, 10);
  EXPECT_EQ(strip_layout(2049).count, 64);
}

// By the time that is left to wait for ends of so many columns, in n chunks 0.67 ns / n of each, and 32 us for each
// chunk's exchanges.
TEST(ColumnChunks, AreAsManyAsTakeLeastTime) {
  for (const Index columns : {1000, 60000, 90000, 110000, 250000, 320000, 500000, 700000, 5000000}) {
    const auto microseconds = [&](Index n) { return 32.0 * n + 0.67e-3 * static_cast<double>(columns) / n; };
    Index best = 1;
    for (Index n = 2; n <= 4; ++n)
      if (microseconds(n) < microseconds(best)) best = n;
    EXPECT_EQ(chunks_of(columns / 10, 10), best) << columns;
  }
  EXPECT_EQ(chunks_of(3, 1 << 20), 3);
}

TEST(ColumnChunks, AreWholeRows) {
  EXPECT_EQ(column_chunks(513, 528, 4), Partition::from_starts({0, 128 * 528, 256 * 528, 384 * 528, 513 * 528}));
  EXPECT_EQ(column_chunks(129, 144, 1), Partition::from_starts({0, 129 * 144}));
  EXPECT_EQ(column_chunks(3, 16, 3), Partition::from_starts({0, 16, 32, 48}));
}

// Nodes of the heap over so many strips, from its definition: ranges of a power of two of leaves, cut at the last
// strip.
std::vector<Range<1>> heap_nodes(Index strips) {
  std::vector<Range<1>> nodes;
  for (Index width = 1; width <= static_cast<Index>(std::bit_ceil(static_cast<std::size_t>(strips))); width *= 2)
    for (Index first = 0; first < strips; first += width) nodes.push_back({{first}, {std::min(first + width, strips)}});
  return nodes;
}

TEST(StripTree, FindsTheMaximalNodesInsideARange) {
  for (Index strips = 1; strips <= 70; ++strips)
    for (Index lo = 0; lo < strips; ++lo)
      for (Index hi = lo + 1; hi <= strips; ++hi) {
        std::vector<Range<1>> expected;
        const auto all = heap_nodes(strips);
        for (Index at = lo; at < hi; at = expected.back().hi[0]) {
          Range<1> largest{{at}, {at + 1}};
          for (const Range<1>& node : all)
            if (node.lo[0] == at && node.hi[0] <= hi && node.hi[0] > largest.hi[0]) largest = node;
          expected.push_back(largest);
        }
        const auto found = top_nodes(strips, {{lo}, {hi}});
        ASSERT_EQ(found, expected) << strips << " strips, " << lo << " to " << hi;
        EXPECT_LE(found.size(), 2 * std::bit_width(static_cast<std::size_t>(strips)));
      }
  EXPECT_EQ(top_nodes(32, {{8}, {16}}).size(), 1U);
}

TEST(StripTree, JoinsEveryPairOnce) {
  for (Index strips = 1; strips <= 70; ++strips) {
    std::vector<int> joined(static_cast<std::size_t>(strips), 0);
    for (const JoinStep& step : join_steps(strips)) ++joined[step.join];
    for (Index s = 0; s < strips; ++s) EXPECT_EQ(joined[s], s + 1 < strips ? 1 : 0);
  }
}

// Parts of a line, each with its strips' ends and what is above them.
struct Cut {
  std::vector<Range<1>> parts, nodes;  // nodes: those of all parts
};
Cut cut(Index strips, Index parts, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<Index> begins;
  for (Index s = 1; s < strips; ++s) begins.push_back(s);
  std::shuffle(begins.begin(), begins.end(), generator);
  begins.resize(static_cast<std::size_t>(parts - 1));
  begins.push_back(0);
  begins.push_back(strips);
  std::sort(begins.begin(), begins.end());
  Cut result;
  for (Index p = 0; p < parts; ++p) {
    result.parts.push_back({{begins[p]}, {begins[p + 1]}});
    for (const Range<1>& node : top_nodes(strips, result.parts.back())) result.nodes.push_back(node);
  }
  return result;
}

JoinSteps view_of(const std::vector<JoinStep>& steps) { return {steps.data(), static_cast<int>(steps.size())}; }

// L and R of every strip, out of the ends of so many strips.
template <int kinds, class T>
std::vector<T> neighbors(std::vector<T> ends, Index strips) {
  const LocalEnds<T, kinds> places{ends.data()};
  std::vector<T> values;
  for (int s = 0; s < strips; ++s) {
    values.push_back(places.get(s - 1, 0, 1));
    values.push_back(places.get(s + 1, 0, 0));
  }
  return values;
}

// Solves the tree over `ends` of the whole line (all kinds of all strips, with a place more before and behind) as parts
// do: each joins its own, one joins what is above and goes down, the others find L and R beside their nodes. Returns L
// and R of every strip. join, close, part: of steps and ends, as the functions for all lines of a part are.
template <int kinds, class T, class Join, class Close, class Part>
std::vector<T> solved_in_parts(const std::vector<T>& ends, Index strips, const Cut& cut, const Join& join,
                               const Close& close, const Part& part) {
  constexpr Index place = 2 * kinds;
  std::vector<std::vector<T>> own;
  std::vector<std::vector<JoinStep>> steps;
  std::vector<T> above(static_cast<std::size_t>((cut.nodes.size() + 2) * place), T{0});
  const LocalEnds<T, kinds> top{above.data()};
  const auto each_node = [&](const auto& use) {  // use(number of the node, its part, its first and last place there)
    int number = 0;
    for (std::size_t p = 0; p < cut.parts.size(); ++p)
      for (const Range<1>& node : top_nodes(strips, cut.parts[p]))
        use(number++, p, static_cast<int>(node.lo[0] - cut.parts[p].lo[0]),
            static_cast<int>(node.hi[0] - 1 - cut.parts[p].lo[0]));
  };
  for (const Range<1>& range : cut.parts) {
    own.emplace_back(ends.begin() + range.lo[0] * place, ends.begin() + (range.hi[0] + 2) * place);
    steps.push_back(join_steps(strips, range));
    join(view_of(steps.back()), LocalEnds<T, kinds>{own.back().data()});
  }
  each_node([&](int n, std::size_t p, int first, int last) {
    const LocalEnds<T, kinds> from{own[p].data()};
    for (int kind = 0; kind < kinds; ++kind) {
      top.set(n, kind, 0, from.get(first, kind, 0));
      top.set(n, kind, 1, from.get(last, kind, 1));
    }
  });
  const auto steps_above = join_steps_above(strips, cut.nodes);
  join(view_of(steps_above), top);
  close(static_cast<int>(cut.nodes.size()), top);
  part(view_of(steps_above), top);
  each_node([&](int n, std::size_t p, int first, int last) {
    const LocalEnds<T, kinds> to{own[p].data()};
    to.set(first - 1, 0, 1, top.get(n - 1, 0, 1));
    to.set(last + 1, 0, 0, top.get(n + 1, 0, 0));
  });
  std::vector<T> result;
  for (std::size_t p = 0; p < own.size(); ++p) {
    part(view_of(steps[p]), LocalEnds<T, kinds>{own[p].data()});
    const auto of_part = neighbors<kinds>(own[p], cut.parts[p].extent(0));
    result.insert(result.end(), of_part.begin(), of_part.end());
  }
  return result;
}

template <class T>
void cuts_common_lines() {
  const ExecutorPtr host = make_omp_executor(1);
  for (const Index n : {16, 30, 77, 128, 200, 513, 1100}) {
    const Index strips = strip_layout(n).count;
    StripTables<T> tables(host, n, TableOrder::by_strip);
    for (const bool periodic : {false, true}) {
      const End end = periodic ? End::periodic : End::robin;
      tables.assign(rows_of({n, end, end, 1e3, true, static_cast<unsigned>(n)}), periodic);
      const CommonLine<T> line = tables.line();
      const auto numbers = random_numbers(static_cast<std::size_t>(2 * (strips + 2)), static_cast<unsigned>(n));
      const std::vector<T> ends(numbers.begin(), numbers.end());
      std::vector<T> whole = ends;
      solve_tree<T>(line, LocalEnds<T, 1>{whole.data()});
      for (Index parts = 1; parts <= std::min<Index>(8, strips); ++parts)
        for (unsigned seed = 0; seed < 10; ++seed) {
          const auto found = solved_in_parts<1>(
              ends, strips, cut(strips, parts, seed),
              [&](const JoinSteps& steps, const auto& places) { join_nodes<T>(line, steps, places); },
              [&](int count, const auto& places) { close_line<T>(line, count, places); },
              [&](const JoinSteps& steps, const auto& places) { part_nodes<T>(line, steps, places); });
          EXPECT_EQ(found, neighbors<1>(whole, strips)) << n << " rows, " << parts << " parts";
        }
    }
  }
}
TEST(StripTree, SolvesCommonLinesInPartsWithEqualBits) {
  cuts_common_lines<double>();
  cuts_common_lines<float>();
}

template <class T>
void cuts_own_lines() {
  for (const Index n : {16, 30, 77, 128, 200, 513, 1100}) {
    const Index strips = strip_layout(n).count;
    const auto steps = join_steps(strips);
    for (const bool periodic : {false, true}) {
      std::vector<T> ends;  // v and w of strips are positive, and less than 1 together
      for (const double number : random_numbers(static_cast<std::size_t>(6 * (strips + 2)), static_cast<unsigned>(n)))
        ends.push_back(static_cast<T>(0.25 + 0.2 * number));
      std::vector<T> whole = ends;
      const OwnLine line{strip_layout(n), view_of(steps), periodic};
      solve_tree<T>(line, LocalEnds<T, 3>{whole.data()});
      for (Index parts = 1; parts <= std::min<Index>(8, strips); ++parts)
        for (unsigned seed = 0; seed < 10; ++seed) {
          const auto found = solved_in_parts<3>(
              ends, strips, cut(strips, parts, seed),
              [&](const JoinSteps& some, const auto& places) { join_nodes<T>(line, some, places); },
              [&](int count, const auto& places) { close_line<T>(line, count, places); },
              [&](const JoinSteps& some, const auto& places) { part_nodes<T>(line, some, places); });
          EXPECT_EQ(found, neighbors<3>(whole, strips)) << n << " rows, " << parts << " parts";
        }
    }
  }
}
TEST(StripTree, SolvesOwnLinesInPartsWithEqualBits) {
  cuts_own_lines<double>();
  cuts_own_lines<float>();
}

}  // namespace
}  // namespace halocline::strips
