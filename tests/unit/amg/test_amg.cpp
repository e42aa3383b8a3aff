// Cycles of algebraic multigrid: symmetry, results that are kept, and equal bits on any partition.
#include <gtest/gtest.h>

#include "tests/unit/amg/amg_system.hpp"
#include "tests/unit/random_numbers.hpp"

namespace halocline::amg {
namespace {

AmgOptions small_levels(Precision precision = Precision::fp32) {
  AmgOptions options;
  options.precision = precision;
  options.hierarchy.coarsening.coarse_max = 100;
  return options;
}

double dot(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

class AmgTest : public OnEveryExecutor {};

TEST_P(AmgTest, CycleIsSymmetricAndPositive) {
  const Devices alone(MPI_COMM_SELF, GetParam(), 1);
  for (const Precision precision : {Precision::fp32, Precision::fp64}) {
    const WholeMatrix whole = seven_points(12, 0.1);
    const System system(alone, whole, whole_partition(whole.size()), small_levels(precision));
    EXPECT_GE(system.amg().facts().levels.size(), 3u);
    const std::vector<double> x = random_numbers(whole.size(), 1), y = random_numbers(whole.size(), 2);
    const std::vector<double> mx = system.apply(x), my = system.apply(y);
    const double scale = std::sqrt(dot(x, mx) * dot(y, my));
    EXPECT_NEAR(dot(x, my), dot(y, mx), (precision == Precision::fp32 ? 1e-6 : 1e-13) * scale);
    EXPECT_GT(dot(x, mx), 0);
  }
}

TEST_P(AmgTest, HasTheSameBitsOnAnyPartition) {
  const Devices alone(MPI_COMM_SELF, GetParam(), 1);
  const WholeMatrix whole = seven_points(24, 0.3);
  for (const auto& [most_replicated, most_holders] :
       {std::pair{Index{4096}, 1}, {Index{32768}, 8}, {Index{32768}, 3}}) {
    AmgOptions options = small_levels();
    options.hierarchy.coarsening.most_replicated = most_replicated;
    options.hierarchy.coarsening.most_holders = most_holders;
    const std::vector<double> x = random_numbers(whole.size(), 3);
    const System one(alone, whole, whole_partition(whole.size()), options);
    const std::vector<double> right = one.apply(x);
    for (int each = 1; each <= 2; ++each) {
      const Devices devices(MPI_COMM_WORLD, GetParam(), each);
      const System system(devices, whole, sparse::random_partition(whole.size(), 1024, devices.team.total_parts(), 7),
                          options);
      const HierarchyFacts &facts = system.amg().facts(), &expected = one.amg().facts();
      ASSERT_EQ(facts.levels.size(), expected.levels.size());
      const int parts = devices.team.total_parts();
      if (parts > 1) {
        EXPECT_TRUE(facts.levels.back().replicated);
        EXPECT_EQ(facts.levels.back().parts, std::min(parts, most_holders));
      }
      for (std::size_t l = 0; l < facts.levels.size(); ++l) {
        EXPECT_EQ(facts.levels[l].rows, expected.levels[l].rows);
        EXPECT_EQ(facts.levels[l].entries, expected.levels[l].entries);
        EXPECT_EQ(facts.levels[l].weights, expected.levels[l].weights);
        EXPECT_EQ(facts.levels[l].longest, expected.levels[l].longest);
        EXPECT_EQ(facts.levels[l].rounds, expected.levels[l].rounds);
        EXPECT_EQ(facts.levels[l].mean_weight, expected.levels[l].mean_weight);
        EXPECT_EQ(facts.levels[l].smallest_weight, expected.levels[l].smallest_weight);
      }
      EXPECT_EQ(system.apply(x), right);
      EXPECT_EQ(system.iterations(1e-8), one.iterations(1e-8));
    }
  }
}

// In fp32 and in fp64, with a scale that is fixed and with one of every cycle.
TEST_P(AmgTest, GivesKeptResultsOnceMore) {
  const Devices alone(MPI_COMM_SELF, GetParam(), 2);
  const WholeMatrix whole = seven_points(14);
  for (const Precision precision : {Precision::fp32, Precision::fp64}) {
    const System system(alone, whole, sparse::random_partition(whole.size(), 1024, 2, 1), small_levels(precision));
    for (const bool fixed : {false, true}) {
      Vector<double> kept(system.matrix().space()), y(system.matrix().space());
      if (fixed) system.amg().begin(system.enter(random_numbers(whole.size(), 0)));
      std::vector<std::vector<double>> given;
      for (int slot = 0; slot < 10; ++slot) {
        std::vector<double> x = random_numbers(whole.size(), static_cast<unsigned>(slot));
        for (double& value : x) value *= std::exp2(7 * slot);
        system.amg().apply(system.enter(x), y);
        system.amg().keep(slot, y);
        given.push_back(system.leave(y));
      }
      for (std::size_t slot = 0; slot < given.size(); ++slot) {
        std::vector<double> one(slot + 1, 0);
        one[slot] = 1;
        fill(kept, 0);
        system.amg().add_kept(one, kept);
        EXPECT_EQ(system.leave(kept), given[slot]);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Executors, AmgTest, every_executor(), executor_name);

}  // namespace
}  // namespace halocline::amg
