// Checks of rows, on every executor and on several ranks.
#include <cmath>
#include <limits>

#include "lib/linalg/sparse/row_checks.hpp"
#include "tests/unit/linalg/sparse/sparse_cases.hpp"

namespace halocline::sparse {
namespace {

class RowChecks : public testing::TestWithParam<TestDevice> {
 protected:
  Devices devices{MPI_COMM_WORLD, GetParam(), 2};

  std::vector<GlobalRows> parts_of(const WholeMatrix& whole, const RowSpace& rows) const {
    std::vector<GlobalRows> parts;
    for (int p = 0; p < rows.team().parts(); ++p) parts.push_back(rows_of(whole, rows.own(p), rows.team().executor(p)));
    return parts;
  }
};

WholeMatrix tridiagonal(Index n) {
  WholeMatrix whole{n, std::vector<std::map<Index, double>>(static_cast<std::size_t>(n))};
  for (Index i = 0; i < n; ++i)
    for (Index j = std::max<Index>(0, i - 1); j <= std::min(n - 1, i + 1); ++j)
      whole.rows[static_cast<std::size_t>(i)][j] = i == j ? 2 : -1;
  return whole;
}

void expect_tally(const RowTally& tally, Index count, Index first) {
  EXPECT_EQ(tally.count, count);
  EXPECT_EQ(tally.first, first);
}

TEST_P(RowChecks, FindEveryPeculiarity) {
  const Index n = 5000;
  WholeMatrix whole = tridiagonal(n);
  const auto rows = devices.space(n, 64, 3);
  const RowFindings plain = check_rows(*rows, parts_of(whole, *rows));
  for (const RowTally* tally : {&plain.not_finite, &plain.empty, &plain.no_diagonal, &plain.negative})
    expect_tally(*tally, 0, -1);
  expect_tally(plain.positive, n, 0);
  EXPECT_EQ(plain.zeros, 0);
  EXPECT_EQ(plain.off_diagonal, 2 * n - 2);
  EXPECT_EQ(plain.positive_off_diagonal, 0);

  whole.rows[4711].clear();
  whole.rows[3000].clear();
  whole.rows[123].erase(123);
  whole.rows[4000][4000] = 0;
  whole.rows[2][1] = std::numeric_limits<double>::quiet_NaN();
  whole.rows[4999][4999] = -std::numeric_limits<double>::infinity();
  whole.rows[77][78] = 0;
  whole.rows[0][4999] = 3;
  const auto parts = parts_of(whole, *rows);
  const RowFindings found = check_rows(*rows, parts);
  expect_tally(found.not_finite, 2, 2);
  expect_tally(found.empty, 2, 3000);
  expect_tally(found.no_diagonal, 2, 123);
  expect_tally(found.negative, 1, 4999);
  expect_tally(found.positive, n - 5, 0);
  EXPECT_EQ(found.zeros, 2);
  EXPECT_EQ(found.positive_off_diagonal, 1);
  for (int p = 0; p < devices.team.parts(); ++p) {
    const Range<1> own = rows->own(p);
    if (own.lo[0] <= 2 && 2 < own.hi[0]) {
      EXPECT_EQ(column_not_finite(*rows, parts, p, 2), 1);
    }
    if (own.lo[0] <= 4999 && 4999 < own.hi[0]) {
      EXPECT_EQ(column_not_finite(*rows, parts, p, 4999), 4999);
    }
    if (own.size() > 0 && own.lo[0] > 2) {
      EXPECT_EQ(column_not_finite(*rows, parts, p, own.lo[0]), own.lo[0] == 4999 ? 4999 : -1);
    }
  }
}

TEST_P(RowChecks, FillsEmptyRowsAndNegates) {
  WholeMatrix whole = tridiagonal(3000);
  for (const std::size_t row : {0, 1500, 1501, 2999}) whole.rows[row].clear();
  const auto rows = devices.space(3000, 64, 5);
  auto parts = parts_of(whole, *rows);
  fill_empty_rows(*rows, parts);
  negate(parts);
  for (const std::size_t row : {0, 1500, 1501, 2999}) whole.rows[row][static_cast<Index>(row)] = 1;
  for (auto& row : whole.rows)
    for (auto& [column, value] : row) value = -value;
  EXPECT_EQ(collect(DistCrs(rows, rows, std::move(parts))), whole);
}

TEST_P(RowChecks, CountRowsThatRepeatInGroups) {
  const Index n = 6000;
  WholeMatrix whole{n, std::vector<std::map<Index, double>>(static_cast<std::size_t>(n))};
  for (Index i = 0; i < n; ++i)  // three unknowns a node, nodes in a chain
    for (Index j = std::max<Index>(0, i / 3 * 3 - 3); j < std::min(n, i / 3 * 3 + 6); ++j)
      whole.rows[static_cast<std::size_t>(i)][j] = i == j ? 7 : 1;
  whole.rows[4001].erase(4000);
  const auto rows = devices.space(n, 60, 1);  // parts begin with groups
  const auto parts = parts_of(whole, *rows);
  EXPECT_EQ(repeated_rows(*rows, parts, 3), n / 3 * 2 - 1);
  EXPECT_LT(repeated_rows(*rows, parts, 2), n / 2 * 7 / 10);
  const auto none = parts_of(tridiagonal(n), *rows);
  EXPECT_EQ(repeated_rows(*rows, none, 2), 0);
}

INSTANTIATE_TEST_SUITE_P(Executors, RowChecks, every_executor(), executor_name);

}  // namespace
}  // namespace halocline::sparse
