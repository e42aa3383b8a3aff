// C-points, interpolation and matrices of all levels: the same to the bit on any partition, for every kind of matrix.
#include <gtest/gtest.h>

#include "lib/amg/setup/coarsening.hpp"
#include "tests/unit/amg/amg_cases.hpp"
#include "tests/unit/sparse/named_problems.hpp"

namespace halocline::amg {
namespace {

using sparse::Devices;
using sparse::DistCrs;

struct Found {
  WholeMatrix a, interpolation;
  std::vector<PointKind> kinds;
  friend bool operator==(const Found&, const Found&) = default;
};

std::vector<Found> levels_of(const DistCrs& a, Index most_replicated, const std::vector<double>& weights) {
  CoarseningOptions options;
  options.coarse_max = 100;
  options.most_replicated = most_replicated;
  Coarsening coarsening(options, weights);
  HierarchyFacts facts;
  std::vector<Found> levels;
  for (std::unique_ptr<Stage> stage = first_stage(a); stage != nullptr;) {
    stage->facts.entries = stage->a->entries();
    facts.levels.push_back(stage->facts);
    std::unique_ptr<Stage> next = coarsening.next(*stage, facts);
    Found& found = levels.emplace_back();
    found.a = collect(*stage->a);
    if (next != nullptr) {
      found.interpolation = collect(*stage->interpolation);
      std::vector<std::vector<PointKind>> kinds;
      for (int p = 0; p < a.team().parts(); ++p)
        kinds.push_back(own_values(*stage->a, p, stage->splitting->kinds_on_host(p)));
      found.kinds = joined(*stage->a, kinds);
    }
    stage = std::move(next);
  }
  return levels;
}

std::vector<double> shares(int parts) {
  std::vector<double> weights;
  for (int p = 0; p < parts; ++p) weights.push_back(std::array{1.0, 3.0, 2.0}[static_cast<std::size_t>(p % 3)]);
  return weights;
}

class LevelsTest : public testing::TestWithParam<TestDevice> {
 protected:
  // Many levels that are distributed, and few.
  void compare(const std::string& problem) {
    const Devices alone(MPI_COMM_SELF, GetParam(), 1);
    const auto source = sparse::named_problem(problem);
    const Index rows = source->rows();
    const auto one = distribute(*source, alone.space(Partition::from_starts({0, rows})));
    const std::vector<Found> right = levels_of(one.matrix, 32768, {1});
    ASSERT_GE(right.size(), 3u);
    for (const auto& [each, most_replicated] : {std::pair{1, Index{32768}}, std::pair{2, Index{500}}}) {
      const Devices devices(MPI_COMM_WORLD, GetParam(), each);
      const std::vector<double> weights = shares(devices.team.total_parts());
      const auto all = distribute(*source, devices.space(Partition(rows, 1024, weights, 0)));
      EXPECT_EQ(levels_of(all.matrix, most_replicated, weights), right) << problem;
    }
  }
};

TEST_P(LevelsTest, OfBoxes) { compare("p7:24"); }
TEST_P(LevelsTest, OfJumps) { compare("jump:16,6"); }
TEST_P(LevelsTest, OfConvection) { compare("cd:20,1e3"); }
TEST_P(LevelsTest, OfTetrahedra) { compare("vent:0.2"); }

INSTANTIATE_TEST_SUITE_P(Executors, LevelsTest, every_executor(), executor_name);

}  // namespace
}  // namespace halocline::amg
