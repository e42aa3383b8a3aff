// Aggregates against a version that goes through a whole matrix row by row, on random partitions.
#include <gtest/gtest.h>

#include "lib/amg/setup/aggregation/aggregates.hpp"
#include "lib/amg/setup/aggregation/symmetric_strength.hpp"
#include "tests/unit/amg/aggregation_oracle.hpp"

namespace halocline::amg {
namespace {

using oracle::Aggregated;
using sparse::Devices;
using sparse::DistCrs;
using sparse::RowSpacePtr;

constexpr double theta = 0.27;

Aggregated aggregate(const DistCrs& a) {
  const Strength strength = symmetric_strength(a, theta);
  const Aggregates aggregates(a, strength, natural_numbers(a.rows()));
  std::vector<std::vector<Index>> of_rows;
  std::vector<std::vector<PointKind>> kinds;
  for (int p = 0; p < a.team().parts(); ++p) {
    of_rows.push_back(aggregates.on_host(p));
    std::vector<PointKind>& own = kinds.emplace_back(static_cast<std::size_t>(a.rows().own_size(p)));
    if (!own.empty())
      a.team().executor(p)->copy_out(own.data(), aggregates.own_kinds(p), own.size() * sizeof(PointKind));
  }
  return {joined(a, of_rows), joined(a, kinds), aggregates.count()};
}

WholeMatrix symmetrized(const WholeMatrix& a) {
  WholeMatrix sum = a;
  for (Index i = 0; i < a.size(); ++i)
    for (const auto& [j, value] : a.rows[static_cast<std::size_t>(i)])
      sum.rows[static_cast<std::size_t>(j)][i] += value;
  return sum;
}

class AggregatesTest : public OnPartitions<3> {};

TEST_P(AggregatesTest, AgreeWithTheFormulas) {
  for (const WholeMatrix& whole : {seven_points(9), seven_points(9, 1e-3), twenty_seven_points(7),
                                   symmetrized(irregular(700, 1)), irregular(700, 2, true)}) {
    const Aggregated right = oracle::aggregated(whole, oracle::symmetric(whole, theta));
    ASSERT_GT(right.count, 5);
    on_partitions([&](const Devices& devices, unsigned seed) {
      const RowSpacePtr rows = devices.space(whole.size(), 8, seed);
      EXPECT_EQ(aggregate(distribute(whole, rows, rows)), right);
    });
  }
}

// Roots do not depend on what is decided in one round and what in the next.
TEST_P(AggregatesTest, HaveTheRootsThatOneFindsInOrder) {
  const Devices alone(MPI_COMM_SELF, GetParam(), 1);
  for (const WholeMatrix& whole : {seven_points(9), symmetrized(irregular(700, 1))}) {
    const std::vector<bool> root = oracle::roots_in_order(oracle::symmetric(whole, theta));
    const RowSpacePtr rows = alone.space(whole.size(), 1, 0);
    const Aggregated found = aggregate(distribute(whole, rows, rows));
    for (std::size_t i = 0; i < root.size(); ++i) EXPECT_EQ(found.kinds[i] == points::coarse, root[i]);
  }
}

TEST_P(AggregatesTest, AgreeWhereEveryPartHoldsAllRows) {
  const WholeMatrix whole = irregular(300, 3);
  on_partitions([&](const Devices& devices, unsigned seed) {
    const RowSpacePtr rows = devices.space(sparse::random_partition(300, 8, devices.team.total_parts(), seed), true);
    EXPECT_EQ(aggregate(distribute(whole, rows, rows)), oracle::aggregated(whole, oracle::symmetric(whole, theta)));
  });
}

// A chain in which one coupling is weak, seen from both ends; a row that is alone; one with a positive coupling.
TEST_P(AggregatesTest, AreSmallCasesAsByHand) {
  const Devices alone(MPI_COMM_SELF, GetParam(), 1);
  const WholeMatrix whole{6,
                          {{{0, 2}, {1, -1}},
                           {{0, -1}, {1, 2}, {2, -0.2}},
                           {{1, -0.2}, {2, 2}, {3, -1}},
                           {{2, -1}, {3, 2}, {4, 1}},
                           {{3, 1}, {4, 2}},
                           {{5, 1}}}};
  const RowSpacePtr rows = alone.space(6, 1, 0);
  const Aggregated found = aggregate(distribute(whole, rows, rows));
  EXPECT_EQ(found.count, 2);
  EXPECT_EQ(found.of_rows, (std::vector<Index>{0, 0, 1, 1, -1, -1}));
  EXPECT_EQ(found.kinds[4], points::isolated);
  EXPECT_EQ(found.kinds[5], points::isolated);
}

INSTANTIATE_TEST_SUITE_P(Executors, AggregatesTest, every_executor(), executor_name);

}  // namespace
}  // namespace halocline::amg
