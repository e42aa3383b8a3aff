// The grids of multigrid and what goes from one to the next along an axis.
#include <gtest/gtest.h>

#include <numeric>

#include "lib/problems/fractional/multigrid/axis_level.hpp"
#include "lib/problems/fractional/plan.hpp"
#include "tests/unit/fractional/fractional_decks.hpp"

namespace halocline::fractional {
namespace {

MultigridPlan plan_of(const DeckText& deck) { return plan_multigrid(formulate(read_deck(deck.text()))); }

std::vector<Index> rows_along(const MultigridPlan& plan, int axis) {
  std::vector<Index> rows;
  for (const LevelPlan& level : plan.levels) rows.push_back(level.rows[axis]);
  return rows;
}

TEST(MultigridPlan, EndsWithOneUnknown) {
  DeckText deck;
  deck.grid = "{size: [1, 1, 1], cells: [16, 15, 17]}";
  deck.sides =
      "{x_min: {kind: dirichlet, value: 0}, x_max: {kind: dirichlet, value: 0}, y_min: {kind: dirichlet, value: 0}, "
      "rest: {kind: no_flux}}";
  const MultigridPlan plan = plan_of(deck);
  EXPECT_EQ(rows_along(plan, 0), (std::vector<Index>{17, 9, 5, 3, 3, 3, 3}));
  EXPECT_EQ(rows_along(plan, 1), (std::vector<Index>{16, 9, 5, 3, 2, 2, 2}));
  EXPECT_EQ(rows_along(plan, 2), (std::vector<Index>{18, 10, 6, 4, 3, 2, 1}));
}

TEST(MultigridPlan, HalvesTheAxesWithStrongCouplings) {
  DeckText deck;
  deck.grid = "{size: [1, 1, 1], cells: [32, 32, 32]}";
  deck.equation["anisotropy"] = "{x: 1, y: 0.001, z: 0.3}";
  const MultigridPlan plan = plan_of(deck);
  EXPECT_EQ(rows_along(plan, 0), (std::vector<Index>{33, 17, 9, 5, 3, 3, 3, 3, 3, 3}));
  EXPECT_EQ(rows_along(plan, 2), (std::vector<Index>{33, 33, 17, 9, 5, 3, 3, 3, 3, 3}));
  EXPECT_EQ(rows_along(plan, 1).back(), 3);
  EXPECT_NEAR(plan.levels[0].least, 1 / 1.301, 1e-12);
  EXPECT_NEAR(plan.levels[1].least, 0.25 / 0.551, 1e-12);
}

// Strips of 4 planes: every part keeps a plane of them on the first two levels.
TEST(MultigridPlan, SharesLevelsOutWhereEveryStripHasAPlane) {
  DeckText deck;
  deck.grid = "{size: [1, 1, 1], cells: [300, 300, 24]}";
  deck.equation["anisotropy"] = "{x: 0.001, y: 0.001, z: 1}";
  EXPECT_EQ(plan_of(deck).shared, 3);
  deck.grid = "{size: [1, 1, 1], cells: [31, 19, 24]}";
  deck.equation.erase("anisotropy");
  EXPECT_EQ(plan_of(deck).shared, 2);  // the next one has few nodes
}

// Of lines with every kind of ends and any number of nodes.
class Axes : public testing::TestWithParam<std::pair<Index, bool>> {
 protected:
  static LevelPlan plan() {
    LevelPlan plan;
    plan.rows[0] = GetParam().first;
    plan.halved[0] = true;
    return plan;
  }
  static bool periodic() { return GetParam().second; }
  static AxisLevel axis() { return AxisLevel(plan(), 0, GetParam().first, periodic() ? End::periodic : End::natural); }
};

// P of a linear function is that function, P^T is the transpose of P.
TEST_P(Axes, InterpolateLinearFunctions) {
  const AxisLevel of = axis();
  const auto rows = static_cast<std::size_t>(of.rows()), coarse = static_cast<std::size_t>(of.coarse_rows());
  ASSERT_EQ(of.low().size(), rows);
  const std::vector<double> restriction = of.restriction();
  std::vector<std::vector<double>> P(rows, std::vector<double>(coarse, 0)), R = P;
  for (std::size_t i = 0; i < rows; ++i) {
    P[i][i / 2] += of.low()[i];
    if (of.low()[i] < 1) P[i][(i / 2 + 1) % coarse] += 1 - of.low()[i];
  }
  for (std::size_t I = 0; I < coarse; ++I)
    for (std::size_t k = 0; k < 3; ++k)
      if (const double weight = restriction[k * coarse + I]; weight != 0) R[(2 * I + k + rows - 1) % rows][I] += weight;
  EXPECT_EQ(P, R);
  for (std::size_t i = 0; i < rows; ++i) EXPECT_EQ(std::accumulate(P[i].begin(), P[i].end(), 0.0), 1);
  if (periodic() || rows == 2) return;
  for (std::size_t i = 0; i < rows; ++i) {
    double place = 0;
    for (std::size_t I = 0; I < coarse; ++I) place += P[i][I] * static_cast<double>(std::min(2 * I, rows - 1));
    EXPECT_EQ(place, static_cast<double>(i));
  }
}

// The whole resistance and the whole of shares stay.
TEST_P(Axes, KeepResistancesAndShares) {
  const AxisLevel of = axis();
  AxisEntries fine;
  for (Index i = 0; i <= of.rows(); ++i) {
    const bool outside = !periodic() && (i == 0 || i == of.rows());
    fine.edge.push_back(outside ? 0 : 1.0 / static_cast<double>(1 + i % of.rows()));
  }
  fine.share.assign(static_cast<std::size_t>(of.rows()), 1);
  fine.rest.assign(static_cast<std::size_t>(of.rows()), 0.25);
  const AxisEntries coarse = of.coarser(fine);
  const auto resistance = [](const std::vector<double>& edges) {
    double sum = 0;
    for (std::size_t i = 1; i < edges.size(); ++i) sum += edges[i] > 0 ? 1 / edges[i] : 0;
    return sum;
  };
  if (of.coarse_rows() > 1) {
    EXPECT_NEAR(resistance(coarse.edge), resistance(fine.edge), 1e-12);
  }
  EXPECT_EQ(coarse.edge.front(), periodic() ? coarse.edge.back() : 0);
  EXPECT_DOUBLE_EQ(std::accumulate(coarse.share.begin(), coarse.share.end(), 0.0), static_cast<double>(of.rows()));
  EXPECT_DOUBLE_EQ(std::accumulate(coarse.rest.begin(), coarse.rest.end(), 0.0), 0.25 * static_cast<double>(of.rows()));
}

INSTANTIATE_TEST_SUITE_P(Lines, Axes,
                         testing::Values(std::pair{Index{2}, false}, std::pair{Index{3}, false},
                                         std::pair{Index{4}, false}, std::pair{Index{9}, false},
                                         std::pair{Index{10}, false}, std::pair{Index{2}, true},
                                         std::pair{Index{3}, true}, std::pair{Index{8}, true},
                                         std::pair{Index{9}, true}));

}  // namespace
}  // namespace halocline::fractional
