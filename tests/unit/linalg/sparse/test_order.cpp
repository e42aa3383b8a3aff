// Orders of graphs. Reverse Cuthill-McKee: every row once, and bands as narrow as those of the orders the graphs were
// made in. Bisection: every row once, and small surfaces of runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "lib/linalg/sparse/order.hpp"

namespace halocline::sparse {
namespace {

struct Pattern {
  Index rows = 0;
  std::vector<Index> row, col;
  void add(Index i, Index j) {
    row.push_back(i);
    col.push_back(j);
  }
  // Largest distance of a column from its row, after renumbering.
  Index band(const std::vector<Index>& number) const {
    Index widest = 0;
    for (std::size_t e = 0; e < row.size(); ++e)
      widest = std::max(widest,
                        std::abs(number[static_cast<std::size_t>(row[e])] - number[static_cast<std::size_t>(col[e])]));
    return widest;
  }
};

// Points of grids, one after the other, each coupled to those before it, in a random order of rows.
Pattern shuffled_grids(const std::vector<std::array<Index, 2>>& sizes, unsigned seed) {
  Pattern pattern;
  for (const auto& [nx, ny] : sizes) pattern.rows += nx * ny;
  std::vector<Index> name(static_cast<std::size_t>(pattern.rows));
  std::iota(name.begin(), name.end(), Index{0});
  std::shuffle(name.begin(), name.end(), std::mt19937(seed));
  Index first = 0;
  for (const auto& [nx, ny] : sizes) {
    for (Index n = 0; n < nx * ny; ++n) {
      const auto row = name[static_cast<std::size_t>(first + n)];
      pattern.add(row, row);
      if (n % nx > 0) pattern.add(row, name[static_cast<std::size_t>(first + n - 1)]);
      if (n >= nx) pattern.add(name[static_cast<std::size_t>(first + n - nx)], row);
    }
    first += nx * ny;
  }
  return pattern;
}

void expect_permutation(const Renumbering& found, Index rows) {
  ASSERT_EQ(static_cast<Index>(found.to.size()), rows);
  ASSERT_EQ(found.from.size(), found.to.size());
  for (Index n = 0; n < rows; ++n) {
    const Index old = found.from[static_cast<std::size_t>(n)];
    ASSERT_TRUE(old >= 0 && old < rows);
    EXPECT_EQ(found.to[static_cast<std::size_t>(old)], n);
  }
}

TEST(Order, BandsOfGrids) {
  const Pattern pattern = shuffled_grids({{7, 60}, {1, 200}, {1, 1}, {12, 12}}, 3);
  const Renumbering found = reverse_cuthill_mckee(pattern.rows, pattern.row, pattern.col);
  expect_permutation(found, pattern.rows);
  EXPECT_LE(pattern.band(found.to), 13);
  EXPECT_GT(pattern.band(found.from), 100);  // those numbers mean nothing

  const Pattern path = shuffled_grids({{1, 500}}, 4);
  EXPECT_EQ(path.band(reverse_cuthill_mckee(path.rows, path.row, path.col).to), 1);
}

TEST(Order, OrderOfEntriesDoesNotMatter) {
  Pattern pattern = shuffled_grids({{9, 30}, {4, 5}}, 5);
  const Renumbering found = reverse_cuthill_mckee(pattern.rows, pattern.row, pattern.col);
  std::reverse(pattern.row.begin(), pattern.row.end());
  std::reverse(pattern.col.begin(), pattern.col.end());
  EXPECT_EQ(reverse_cuthill_mckee(pattern.rows, pattern.col, pattern.row).to, found.to);
}

TEST(Order, NoEntries) {
  expect_permutation(reverse_cuthill_mckee(5, {}, {}), 5);
  expect_permutation(bisection(5, {}, {}), 5);
  expect_permutation(bisection(3000, {}, {}), 3000);
}

// Rows outside runs of `own` rows that are coupled to one inside, at most.
Index largest_surface(const Pattern& pattern, const std::vector<Index>& number, Index own) {
  std::set<std::pair<Index, Index>> ghosts;  // of a part, a row
  for (std::size_t e = 0; e < pattern.row.size(); ++e) {
    const Index i = number[static_cast<std::size_t>(pattern.row[e])],
                j = number[static_cast<std::size_t>(pattern.col[e])];
    if (i / own == j / own) continue;
    ghosts.insert({i / own, j});
    ghosts.insert({j / own, i});
  }
  std::map<Index, Index> counts;
  Index most = 0;
  for (const auto& [part, row] : ghosts) most = std::max(most, ++counts[part]);
  return most;
}

TEST(Order, SurfacesOfPieces) {
  const Pattern pattern = shuffled_grids({{128, 128}, {1, 1}, {50, 40}}, 6);
  const Renumbering found = bisection(pattern.rows, pattern.row, pattern.col);
  expect_permutation(found, pattern.rows);
  std::vector<Index> by_bands = reverse_cuthill_mckee(pattern.rows, pattern.row, pattern.col).to;
  // A square of 1024 rows has a surface of 128; bands of as many have 2 * 128 and more.
  EXPECT_LT(largest_surface(pattern, found.to, 1024), 190);
  EXPECT_GT(largest_surface(pattern, by_bands, 1024), 200);
  Pattern other = pattern;
  std::reverse(other.row.begin(), other.row.end());
  std::reverse(other.col.begin(), other.col.end());
  EXPECT_EQ(bisection(other.rows, other.col, other.row).to, found.to);
}

}  // namespace
}  // namespace halocline::sparse
