// Lines solved by strips and a tree against elimination in long double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <limits>

#include "lib/linalg/strips/line_kernels.hpp"
#include "tests/unit/linalg/strips/line_cases.hpp"

namespace halocline::strips {
namespace {

const ExecutorPtr host = make_omp_executor(1);

template <class P>
NumberOf<P>* numbers(std::vector<P>& values) {
  return reinterpret_cast<NumberOf<P>*>(values.data());
}

// Eight lines with common coefficients, or one of them.
template <class P, class T>
std::vector<P> solve_common(const CommonLine<T>& line, const std::vector<P>& right) {
  std::vector<P> u = right, ends(static_cast<std::size_t>(2 * (line.layout.count + 2)), zero<P>());
  solve_line<P>(
      line, 1, [&](int) { return LocalEnds<P, 1>{numbers(ends)}; }, [&](int, Index i) { return u[i]; },
      [&](int, Index i, const P& g) { u[i] = g; }, [&](int, Index i) { return u[i]; },
      [&](int, Index i, const P& value) { u[i] = value; });
  return u;
}
template <class P>
std::vector<P> solve_own(const OwnLine& line, const std::vector<LineRow<P>>& rows) {
  std::vector<P> u(rows.size(), zero<P>()), ends(static_cast<std::size_t>(6 * (line.layout.count + 2)), zero<P>());
  std::vector<EliminatedRow<P>> kept(rows.size());
  solve_own_line<P>(
      line, 1, [&](int) { return LocalEnds<P, 3>{numbers(ends)}; }, [&](int, Index i) { return rows[i]; },
      [&](int, Index i, const EliminatedRow<P>& row) { kept[i] = row; }, [&](int, Index i) { return kept[i]; },
      [&](int, Index i, const P& value) { u[i] = value; });
  return u;
}

template <class T>
struct Errors {
  long double strips = 0, thomas = 0, size = 0;
};
template <class T>
Errors<T> errors(const std::vector<RowCoefficients>& rows, bool periodic, const std::vector<double>& right,
                 const std::vector<T>& u) {
  const auto exact = eliminated<long double>(rows, periodic, right);
  const auto thomas = eliminated<T>(rows, periodic, right);
  Errors<T> e;
  for (std::size_t i = 0; i < u.size(); ++i) {
    e.strips = std::max(e.strips, std::abs(static_cast<long double>(u[i]) - exact[i]));
    e.thomas = std::max(e.thomas, std::abs(static_cast<long double>(thomas[i]) - exact[i]));
    e.size = std::max(e.size, std::abs(exact[i]));
  }
  return e;
}

// Largest error of strips over that of the Thomas algorithm, which a rounding of the largest value is added to.
// Elimination from the first row to the last keeps the digits of row sums, as tables do, which have more digits when
// they are made. Joining nodes with coefficients of their own does not: `share` of the condition may be lost.
template <class T>
struct Worst {
  double share;
  double ratio = 0;
  void take(const Errors<T>& e, const LineCase& c, const std::vector<RowCoefficients>& rows) {
    double condition = 0;
    for (const RowCoefficients& row : rows) condition = std::max(condition, 2 * row.diagonal);
    const long double unit = std::numeric_limits<T>::epsilon() * e.size, mean = e.thomas + unit;
    ratio = std::max(ratio, static_cast<double>(e.strips / mean));
    EXPECT_LE(e.strips, 35 * mean + share * condition * unit) << text_of(c) << ", Thomas " << e.thomas;
  }
};

template <class T>
std::vector<double> right_of(Index rows, unsigned seed) {
  auto right = random_numbers(static_cast<std::size_t>(rows), seed);
  for (double& value : right) value = static_cast<T>(value);
  return right;
}

// The lanes of a pack are right-hand sides of their own; lane 5 is compared with one line alone, bit by bit.
template <class T>
void solves_common_lines() {
  Worst<T> worst{0};
  for (Index n = 3; n <= 200; ++n) {
    StripTables<T> tables(host, n, n % 2 == 0 ? TableOrder::by_strip : TableOrder::by_row);
    for (const LineCase& c : cases_of<T>(n)) {
      const auto rows = rounded_to<T>(rows_of(c));
      tables.assign(rows, c.periodic());
      std::vector<Pack<T>> packs(static_cast<std::size_t>(n));
      for (int lane = 0; lane < lanes; ++lane) {
        const auto right = right_of<T>(n, c.seed + 7 * static_cast<unsigned>(lane));
        for (Index i = 0; i < n; ++i) lane_of(packs[i], lane) = static_cast<T>(right[i]);
      }
      const auto found = solve_common(tables.line(), packs);
      std::vector<T> single, expected;
      for (const Pack<T>& pack : packs) single.push_back(lane_of(pack, 5));
      for (const Pack<T>& pack : found) expected.push_back(lane_of(pack, 5));
      EXPECT_EQ(solve_common(tables.line(), single), expected) << text_of(c);
      worst.take(errors<T>(rows, c.periodic(), right_of<T>(n, c.seed + 35), expected), c, rows);
    }
  }
  std::printf("common coefficients: at most %.2f times the error of the Thomas algorithm\n", worst.ratio);
}
TEST(Lines, WithCommonCoefficients) { solves_common_lines<double>(); }
TEST(Lines, WithCommonCoefficientsInFloat) { solves_common_lines<float>(); }

template <class T>
void solves_own_lines() {
  Worst<T> worst{0.1};
  for (Index n = 3; n <= 200; ++n) {
    const StripTables<T> tables(host, n, TableOrder::by_strip);
    for (const LineCase& c : cases_of<T>(n)) {
      const OwnLine line{tables.line().layout, tables.line().steps, c.periodic()};
      std::vector<LineRow<Pack<T>>> packs(static_cast<std::size_t>(n));
      std::vector<LineRow<T>> single;
      for (int lane = 0; lane < lanes; ++lane) {
        LineCase of_lane = c;
        of_lane.seed += static_cast<unsigned>(lane);
        const auto rows = rounded_to<T>(rows_of(of_lane));
        const auto right = right_of<T>(n, of_lane.seed);
        for (Index i = 0; i < n; ++i) {
          const LineRow<T> row{static_cast<T>(rows[i].before), static_cast<T>(rows[i].diagonal),
                               static_cast<T>(rows[i].behind), static_cast<T>(right[i])};
          lane_of(packs[i].before, lane) = row.before;
          lane_of(packs[i].diagonal, lane) = row.diagonal;
          lane_of(packs[i].behind, lane) = row.behind;
          lane_of(packs[i].right, lane) = row.right;
          if (lane == 5) single.push_back(row);
        }
      }
      std::vector<T> expected;
      for (const Pack<T>& pack : solve_own(line, packs)) expected.push_back(lane_of(pack, 5));
      EXPECT_EQ(solve_own(line, single), expected) << text_of(c);
      LineCase fifth = c;
      fifth.seed += 5;
      const auto rows = rounded_to<T>(rows_of(fifth));
      worst.take(errors<T>(rows, c.periodic(), right_of<T>(n, fifth.seed), expected), c, rows);
    }
  }
  std::printf("own coefficients: at most %.2f times the error of the Thomas algorithm\n", worst.ratio);
}
TEST(Lines, WithTheirOwnCoefficients) { solves_own_lines<double>(); }
TEST(Lines, WithTheirOwnCoefficientsInFloat) { solves_own_lines<float>(); }

}  // namespace
}  // namespace halocline::strips
