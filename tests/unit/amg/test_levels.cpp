// C-points, interpolation and matrices of all levels: the same to the bit on any partition, for every kind of matrix.
#include <gtest/gtest.h>

#include "lib/amg/setup/coarsening.hpp"
#include "tests/unit/amg/amg_cases.hpp"
#include "tests/unit/amg/near_null.hpp"
#include "tests/unit/sparse/named_problems.hpp"

namespace halocline::amg {
namespace {

using sparse::Devices;
using sparse::DistCrs;
using sparse::RowSpacePtr;

struct Found {
  WholeMatrix a, interpolation;
  std::vector<PointKind> kinds;
  friend bool operator==(const Found&, const Found&) = default;
};

std::vector<PointKind> own_kinds(const Stage& stage, int p) {
  std::vector<PointKind> own(static_cast<std::size_t>(stage.a->rows().own_size(p)));
  const PointKind* kinds = stage.choice->own_kinds(p);
  if (kinds != nullptr && !own.empty())
    stage.a->team().executor(p)->copy_out(own.data(), kinds, own.size() * sizeof(PointKind));
  return own;
}

std::vector<Found> levels_of(const DistCrs& a, CoarseningKind kind, RowKinds kinds, Index most_replicated,
                             const std::vector<double>& weights) {
  CoarseningOptions options;
  options.kind = kind;
  options.coarse_max = 100;
  options.most_replicated = most_replicated;
  Coarsening coarsening(options, weights);
  HierarchyFacts facts;
  std::vector<Found> levels;
  for (std::unique_ptr<Stage> stage = first_stage(a, std::move(kinds)); stage != nullptr;) {
    stage->facts.entries = stage->a->entries();
    facts.levels.push_back(stage->facts);
    std::unique_ptr<Stage> next = coarsening.next(*stage, facts);
    Found& found = levels.emplace_back();
    found.a = collect(*stage->a);
    if (next != nullptr) {
      found.interpolation = collect(*stage->interpolation);
      std::vector<std::vector<PointKind>> kinds;
      for (int p = 0; p < a.team().parts(); ++p) kinds.push_back(own_kinds(*stage, p));
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
  void compare(const std::string& problem, CoarseningKind kind = CoarseningKind::classical) {
    const Devices alone(MPI_COMM_SELF, GetParam(), 1);
    const auto source = sparse::named_problem(problem);
    const auto* elastic = dynamic_cast<const sparse::ElasticBoxSource*>(source.get());
    const auto levels = [&](const RowSpacePtr& rows, Index most_replicated, const std::vector<double>& weights) {
      const auto made = distribute(*source, rows);
      RowKinds kinds;
      if (elastic != nullptr) kinds = rigid_body_kinds(*rows, *elastic, 6);
      return levels_of(made.matrix, kind, std::move(kinds), most_replicated, weights);
    };
    const Index rows = source->rows();
    const std::vector<Found> right = levels(alone.space(Partition::from_starts({0, rows})), 32768, {1});
    ASSERT_GE(right.size(), 3u);
    for (const auto& [each, most_replicated] : {std::pair{1, Index{32768}}, std::pair{2, Index{500}}}) {
      const Devices devices(MPI_COMM_WORLD, GetParam(), each);
      const std::vector<double> weights = shares(devices.team.total_parts());
      EXPECT_EQ(levels(devices.space(Partition(rows, 1024, weights, 0)), most_replicated, weights), right) << problem;
    }
  }
};

TEST_P(LevelsTest, OfBoxes) { compare("p7:24"); }
TEST_P(LevelsTest, OfJumps) { compare("jump:16,6"); }
TEST_P(LevelsTest, OfConvection) { compare("cd:20,1e3"); }
TEST_P(LevelsTest, OfTetrahedra) { compare("vent:0.2"); }
TEST_P(LevelsTest, OfBoxesByAggregates) { compare("p7:24", CoarseningKind::aggregation); }
TEST_P(LevelsTest, OfElasticityByAggregatesOfNodes) { compare("elastic:16,6,6", CoarseningKind::aggregation); }

INSTANTIATE_TEST_SUITE_P(Executors, LevelsTest, every_executor(), executor_name);

}  // namespace
}  // namespace halocline::amg
