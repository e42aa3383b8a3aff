// New values of the same pattern: the bits of a full set-up where the values have not changed; elsewhere a hierarchy of
// the old interpolation and the new matrices, on any partition.
#include <gtest/gtest.h>

#include "lib/linalg/sparse/products/transpose.hpp"
#include "tests/unit/amg/amg_system.hpp"
#include "tests/unit/random_numbers.hpp"

namespace halocline::amg {
namespace {

AmgOptions kept(Precision precision, Index most_replicated = 32768) {
  AmgOptions options;
  options.precision = precision;
  options.hierarchy.coarsening.coarse_max = 100;
  options.hierarchy.coarsening.most_replicated = most_replicated;
  options.hierarchy.coarsening.keep = true;
  return options;
}

// The same pattern with other couplings, symmetric, and the same sums of rows.
WholeMatrix changed(WholeMatrix a, double size) {
  for (Index row = 0; row < a.columns; ++row) {
    auto& entries = a.rows[static_cast<std::size_t>(row)];
    for (auto& [column, value] : entries) {
      if (column == row) continue;
      const double more = value * size * static_cast<double>((row + column) % 5) / 5;
      value += more;
      entries[row] -= more;
    }
  }
  return a;
}

class RefreshTest : public OnEveryExecutor {
 protected:
  Devices alone_{MPI_COMM_SELF, GetParam(), 1};
};

TEST_P(RefreshTest, OfTheSameValuesGivesTheSameBits) {
  for (const WholeMatrix& whole : {seven_points(14, 0.3), seven_points(9), seven_points(4)})
    for (const CoarseningKind kind : {CoarseningKind::classical, CoarseningKind::aggregation})
      for (const Precision precision : {Precision::fp32, Precision::fp64}) {
        AmgOptions options = kept(precision);
        options.hierarchy.coarsening.kind = kind;
        const std::vector<double> x = random_numbers(whole.size(), 3);
        System system(alone_, whole, whole_partition(whole.size()), options);
        const std::vector<double> right = system.apply(x);
        system.renew(whole);
        EXPECT_EQ(system.apply(x), right);
        system.renew(changed(whole, 2));
        EXPECT_NE(system.apply(x), right);
        system.renew(whole);
        EXPECT_EQ(system.apply(x), right);
      }
}

// Two levels, written plainly: products anew with the old interpolation.
TEST_P(RefreshTest, MakesTheMatricesOfTheOldInterpolation) {
  const WholeMatrix old = seven_points(10, 0.3), fresh = changed(old, 3);
  const auto rows = alone_.space(whole_partition(old.size()));
  const DistCrs a = distribute(old, rows, rows), b = distribute(fresh, rows, rows);
  CoarseningOptions options;
  options.coarse_max = 10;
  options.keep = true;
  Coarsening coarsening(options, std::vector<double>{1});
  HierarchyFacts facts;
  const auto finest = first_stage(a);
  facts.levels.emplace_back().entries = a.entries();
  const auto next = coarsening.next(*finest, facts);
  ASSERT_NE(next, nullptr);
  const WholeMatrix p = collect(*finest->interpolation);
  finest->a = &b;
  multiply_again(*finest, *next);
  EXPECT_EQ(collect(*finest->interpolation), p);
  const DistCrs r = transpose(*finest->interpolation);
  const DistCrs ap = multiply(b, *finest->interpolation, sparse::Order::as_they_arise);
  EXPECT_EQ(collect(*next->a), collect(multiply(r, ap, sparse::Order::sorted)));
  const RowSizes sizes = row_sizes(b);
  const Strength strength(b, options.theta);
  EXPECT_EQ(sizes.diagonal[0].to_host(), strength.sizes().diagonal[0].to_host());
  EXPECT_EQ(sizes.sums[0].to_host(), strength.sizes().sums[0].to_host());
}

TEST_P(RefreshTest, HasTheSameBitsOnAnyPartition) {
  const WholeMatrix old = seven_points(20, 0.3), fresh = changed(old, 1);
  const std::vector<double> x = random_numbers(old.size(), 4);
  for (const auto& [most_replicated, most_holders] : {std::pair{Index{4096}, 8}, {Index{4096}, 1}, {Index{32768}, 3}}) {
    AmgOptions options = kept(Precision::fp32, most_replicated);
    options.hierarchy.coarsening.most_holders = most_holders;
    System one(alone_, old, whole_partition(old.size()), options);
    one.renew(fresh);
    const std::vector<double> right = one.apply(x);
    const int iterations = one.iterations(1e-8);
    EXPECT_GT(iterations, 3);
    EXPECT_LE(iterations, System(alone_, fresh, whole_partition(fresh.size()), options).iterations(1e-8) + 8);
    for (int each = 1; each <= 2; ++each) {
      const Devices devices(MPI_COMM_WORLD, GetParam(), each);
      System system(devices, old, sparse::random_partition(old.size(), 1024, devices.team.total_parts(), 7), options);
      system.renew(fresh);
      EXPECT_EQ(system.apply(x), right);
      EXPECT_EQ(system.iterations(1e-8), iterations);
      EXPECT_EQ(system.amg().facts().levels[1].mean_weight, one.amg().facts().levels[1].mean_weight);
    }
  }
}

// Rows that depended on nothing have no part in coarser levels, whatever their new couplings are: these bound their
// weights. Sets of eight rows, all coupled by `coupling`, beside a part that is coarsened.
WholeMatrix with_sets(double coupling) {
  WholeMatrix a = seven_points(8);
  const Index first = a.columns, count = 200;
  a.columns += count;
  for (Index row = first; row < a.columns; ++row) {
    auto& entries = a.rows.emplace_back();
    for (Index column = first; column < a.columns; ++column)
      if ((row - first) / 8 == (column - first) / 8) entries[column] = row == column ? 1 : coupling;
  }
  return a;
}

TEST_P(RefreshTest, BoundsTheWeightsOfRowsThatWereIsolated) {
  for (const CoarseningKind kind : {CoarseningKind::classical, CoarseningKind::aggregation}) {
    AmgOptions options = kept(Precision::fp64);
    options.hierarchy.coarsening.kind = kind;
    const WholeMatrix old = with_sets(1e-3);
    System system(alone_, old, whole_partition(old.size()), options);
    ASSERT_GT(system.amg().facts().levels.size(), 1u);
    EXPECT_GT(system.iterations(1e-8), 0);
    for (const double coupling : {0.5, 0.9, 1e-3}) {
      system.renew(with_sets(coupling));
      const int iterations = system.iterations(1e-8);
      EXPECT_GT(iterations, 0) << coupling;
      EXPECT_LT(iterations, 40) << coupling;
    }
  }
}

// Levels that are swept over at the end, Chebyshev's method, whose bound is new, and W cycles.
TEST_P(RefreshTest, KnowsOtherCyclesAndSmoothers) {
  const WholeMatrix old = seven_points(12, 0.3);
  AmgOptions options = kept(Precision::fp64);
  options.hierarchy.smoother = {SmootherKind::chebyshev, 3, 1};
  options.cycle = multigrid::CycleKind::w;
  const std::vector<double> x = random_numbers(old.size(), 5);
  System system(alone_, old, whole_partition(old.size()), options);
  const std::vector<double> right = system.apply(x);
  system.renew(changed(old, 3));
  EXPECT_LT(system.iterations(1e-8), 20);
  system.renew(old);
  EXPECT_EQ(system.apply(x), right);

  options = kept(Precision::fp32);
  options.hierarchy.coarsening.max_levels = 2;
  const WholeMatrix large = seven_points(26);
  const std::vector<double> z = random_numbers(large.size(), 6);
  System swept(alone_, large, whole_partition(large.size()), options);
  ASSERT_EQ(swept.amg().facts().levels.size(), 2u);
  const std::vector<double> expected = swept.apply(z);
  swept.renew(changed(large, 1));
  EXPECT_NE(swept.apply(z), expected);
  swept.renew(large);
  EXPECT_EQ(swept.apply(z), expected);
}

INSTANTIATE_TEST_SUITE_P(Executors, RefreshTest, every_executor(), executor_name);

}  // namespace
}  // namespace halocline::amg
