// Interpolation against a version that goes through a whole matrix row by row, bit by bit, on random partitions.
#include <gtest/gtest.h>

#include "lib/amg/setup/classical/interpolation.hpp"
#include "tests/unit/amg/interpolation_oracle.hpp"

namespace halocline::amg {
namespace {

using sparse::Devices;
using sparse::DistCrs;
using sparse::RowSpacePtr;

constexpr double theta = 0.27;

struct Found {
  WholeMatrix matrix;
  Guards guards;
};

Found interpolated(const DistCrs& a, const InterpolationOptions& options, const oracle::Components& components = {}) {
  const LocalValues<LocalIndex> component = local_components(a, components);
  const LocalValues<LocalIndex>* given = components.empty() ? nullptr : &component;
  const Strength strength(a, theta, given);
  const Splitting splitting(a, strength, natural_numbers(a.rows()));
  const Partition parts(splitting.coarse_rows(), 8,
                        std::vector<double>(static_cast<std::size_t>(a.team().total_parts()), 1), 0);
  const auto coarse = std::make_shared<sparse::RowSpace>(a.rows().comm(), a.team(), parts, a.rows().holders());
  const Interpolation p = interpolate(a, strength, splitting, coarse, options, given);
  return {collect(p.matrix), p.guards};
}

void compare(const Found& found, const oracle::Weights& right) {
  EXPECT_EQ(found.matrix, right.matrix);
  EXPECT_EQ(found.guards.without_itself, right.without_itself);
  EXPECT_EQ(found.guards.direct, right.direct);
}

class InterpolationTest : public OnPartitions<2> {};

TEST_P(InterpolationTest, AgreesWithTheFormulas) {
  Index without_itself = 0, direct = 0;
  for (const WholeMatrix& whole : {seven_points(6), seven_points(6, 1e-3), twenty_seven_points(5), irregular(300, 1),
                                   irregular(300, 2, true), pairs(70)}) {
    const oracle::Weights right = oracle::Interpolation(whole, theta).weights(true, 4);
    without_itself += right.without_itself;
    direct += right.direct;
    on_partitions([&](const Devices& devices, unsigned seed) {
      const RowSpacePtr rows = devices.space(whole.size(), 8, seed);
      compare(interpolated(distribute(whole, rows, rows), {}), right);
    });
  }
  EXPECT_GT(without_itself, 0);  // or the guards are not tested
  EXPECT_GT(direct, 0);
}

TEST_P(InterpolationTest, AgreesForEveryOption) {
  const WholeMatrix whole = irregular(600, 5);
  const oracle::Interpolation right(whole, theta);
  const Devices devices(MPI_COMM_WORLD, GetParam(), 2);
  const RowSpacePtr rows = devices.space(600, 8, 1);
  for (const bool through_itself : {false, true})
    for (const int entries : {1, 2, 4, 16})
      compare(interpolated(distribute(whole, rows, rows), {through_itself, entries}),
              right.weights(through_itself, static_cast<std::size_t>(entries)));
}

TEST_P(InterpolationTest, AgreesWhereEveryPartHoldsAllRows) {
  const WholeMatrix whole = irregular(300, 3);
  const oracle::Weights right = oracle::Interpolation(whole, theta).weights(true, 4);
  on_partitions([&](const Devices& devices, unsigned seed) {
    const RowSpacePtr rows = devices.space(sparse::random_partition(300, 8, devices.team.total_parts(), seed), true);
    compare(interpolated(distribute(whole, rows, rows), {}), right);
  });
}

TEST_P(InterpolationTest, LeavesOtherComponentsOut) {
  const WholeMatrix whole = irregular(500, 4);
  oracle::Components component;
  for (Index i = 0; i < whole.size(); ++i) component.push_back(static_cast<LocalIndex>(i % 3));
  const oracle::Weights right = oracle::Interpolation(whole, theta, component).weights(true, 4);
  const Devices devices(MPI_COMM_WORLD, GetParam(), 2);
  const RowSpacePtr rows = devices.space(500, 8, 0);
  compare(interpolated(distribute(whole, rows, rows), {}, component), right);
}

// Rows whose sum is zero interpolate constants exactly.
TEST_P(InterpolationTest, KeepsConstants) {
  WholeMatrix whole = seven_points(8);
  for (Index i = 0; i < whole.size(); ++i) {
    auto& row = whole.rows[static_cast<std::size_t>(i)];
    row[i] = static_cast<double>(row.size() - 1);
  }
  const Devices devices(MPI_COMM_WORLD, GetParam(), 2);
  const RowSpacePtr rows = devices.space(whole.size(), 8, 0);
  for (const auto& row : interpolated(distribute(whole, rows, rows), {}).matrix.rows) {
    double sum = 0;
    for (const auto& [column, weight] : row) {
      sum += weight;
      EXPECT_GT(weight, 0);
    }
    EXPECT_NEAR(sum, 1, 1e-14);
    EXPECT_LE(row.size(), 4u);
  }
}

// Between C-points of a line, which are two or three steps apart.
TEST_P(InterpolationTest, InterpolatesALineLinearly) {
  const Devices alone(MPI_COMM_SELF, GetParam(), 1);
  WholeMatrix line{40, std::vector<std::map<Index, double>>(40)};
  for (Index i = 0; i < 40; ++i) {
    auto& row = line.rows[static_cast<std::size_t>(i)];
    row[i] = 2;
    if (i > 0) row[i - 1] = -1;
    if (i < 39) row[i + 1] = -1;
  }
  const RowSpacePtr rows = alone.space(40, 1, 0);
  const DistCrs a = distribute(line, rows, rows);
  const Found found = interpolated(a, {});
  const Splitting splitting(a, Strength(a, theta), natural_numbers(a.rows()));
  std::vector<Index> chosen;
  for (Index i = 0; i < 40; ++i)
    if (splitting.kinds_on_host(0)[static_cast<std::size_t>(i)] == points::coarse) chosen.push_back(i);
  for (Index i = chosen.front(); i <= chosen.back(); ++i) {
    double place = 0, sum = 0;
    for (const auto& [column, weight] : found.matrix.rows[static_cast<std::size_t>(i)]) {
      place += weight * static_cast<double>(chosen[static_cast<std::size_t>(column)]);
      sum += weight;
    }
    EXPECT_NEAR(place, static_cast<double>(i), 1e-12);
    EXPECT_NEAR(sum, 1, 1e-14);
  }
}

INSTANTIATE_TEST_SUITE_P(Executors, InterpolationTest, every_executor(), executor_name);

}  // namespace
}  // namespace halocline::amg
