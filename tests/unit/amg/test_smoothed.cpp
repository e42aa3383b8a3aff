// Interpolation of smoothed aggregation against a version that goes through a whole matrix row by row, bit by bit, on
// random partitions.
#include <gtest/gtest.h>

#include "lib/amg/setup/aggregation/aggregate_choice.hpp"
#include "lib/amg/setup/aggregation/node_choice.hpp"
#include "lib/amg/setup/aggregation/symmetric_strength.hpp"
#include "tests/unit/amg/smoothed_oracle.hpp"
#include "tests/unit/random_numbers.hpp"

namespace halocline::amg {
namespace {

using sparse::Devices;
using sparse::DistCrs;
using sparse::RowSpacePtr;

constexpr double theta = 0.27;

// Of own rows of every part.
template <class T>
std::vector<Array<T, 1>> cut(const sparse::RowSpace& rows, const std::vector<T>& all) {
  std::vector<Array<T, 1>> parts;
  for (int p = 0; p < rows.team().parts(); ++p)
    parts.push_back(make_array(rows.team().executor(p),
                               std::vector<T>(all.begin() + rows.own(p).lo[0], all.begin() + rows.own(p).hi[0])));
  return parts;
}
template <class T>
std::vector<T> whole_of(const DistCrs& a, const std::vector<Array<T, 1>>& parts) {
  std::vector<std::vector<T>> own;
  for (const auto& part : parts) own.push_back(part.to_host());
  return joined(a, own);
}

RowSpacePtr coarse_space(const DistCrs& a, Index count) {
  const Partition parts(count, 8, std::vector<double>(static_cast<std::size_t>(a.team().total_parts()), 1), 0);
  return std::make_shared<sparse::RowSpace>(a.rows().comm(), a.team(), parts, a.rows().holders());
}

// A system of three unknowns a node, with four vectors, the last of them the sum of two others.
struct Problem {
  explicit Problem(Index nodes) : a(irregular(3 * nodes, 6)) {
    for (Index i = 0; i < a.size(); ++i) node.push_back(i / 3);
    for (unsigned v = 0; v < 3; ++v) vectors.push_back(random_numbers(a.size(), v + 1));
    vectors.push_back(vectors[0]);
    for (std::size_t i = 0; i < vectors[0].size(); ++i) vectors[3][i] += vectors[2][i];
  }
  WholeMatrix a;
  std::vector<Index> node;
  oracle::Vectors vectors;
};

class SmoothedTest : public OnPartitions<2> {};

TEST_P(SmoothedTest, AgreesWithTheFormulas) {
  for (const WholeMatrix& whole :
       {seven_points(6), seven_points(6, 1e-3), irregular(300, 1), irregular(300, 2, true)}) {
    const oracle::Graph graph = oracle::symmetric(whole, theta);
    const WholeMatrix right = oracle::smoothed(whole, &graph, oracle::constants(oracle::aggregated(whole, graph)));
    on_partitions([&](const Devices& devices, unsigned seed) {
      const RowSpacePtr rows = devices.space(whole.size(), 8, seed);
      const DistCrs a = distribute(whole, rows, rows);
      Stage stage;
      stage.a = &a;
      stage.numbers = natural_numbers(*rows);
      stage.strength.emplace(symmetric_strength(a, theta));
      AggregateChoice choice(stage);
      EXPECT_EQ(collect(choice.interpolation(stage, coarse_space(a, choice.rows()), 0).matrix), right);
    });
  }
}

// Norms of blocks, vectors of the next level, and interpolation, where all rows are distributed and where they are not.
TEST_P(SmoothedTest, ShowsVectorsNodeByNode) {
  const Problem problem(90);
  const WholeMatrix norms = oracle::node_norms(problem.a, problem.node);
  const oracle::Aggregated aggregates = oracle::aggregated(norms, oracle::node_graph(norms));
  std::vector<Index> of_rows;
  for (const Index node : problem.node) of_rows.push_back(aggregates.of_rows[static_cast<std::size_t>(node)]);
  const oracle::Factors factors = oracle::factors(of_rows, aggregates.count, problem.vectors);
  const WholeMatrix right = oracle::smoothed(problem.a, nullptr, factors.q);
  ASSERT_GT(aggregates.count, 3);
  ASSERT_LT(factors.q.columns, 4 * aggregates.count);  // or no column was dropped
  on_partitions([&](const Devices& devices, unsigned seed) {
    for (const bool replicated : {false, true}) {
      const Partition partition = sparse::random_partition(problem.a.size(), 8, devices.team.total_parts(), seed);
      const RowSpacePtr rows = devices.space(partition, replicated);
      const DistCrs a = distribute(problem.a, rows, rows);
      std::vector<PartVector> vectors;
      for (const auto& vector : problem.vectors) vectors.push_back(cut(*rows, vector));
      Stage stage, next;
      stage.a = &a;
      const std::vector<double> weights(static_cast<std::size_t>(devices.team.total_parts()), 1);
      stage.nodes = first_nodes(a, cut(*rows, problem.node), std::move(vectors), {}, weights);
      EXPECT_EQ(collect(node_matrix(a, incidence(a, *stage.nodes))), norms);
      NodeChoice choice(stage);
      const RowSpacePtr coarse = coarse_space(a, choice.rows());
      EXPECT_EQ(collect(choice.interpolation(stage, coarse, 0).matrix), right);

      const DistCrs next_matrix = distribute(sparse::random_matrix(choice.rows(), choice.rows(), 1, 1), coarse, coarse);
      next.a = &next_matrix;
      choice.pass_on(stage, next);
      EXPECT_EQ(whole_of(next_matrix, next.nodes->of_rows), factors.aggregate);
      for (std::size_t v = 0; v < factors.r.size(); ++v)
        EXPECT_EQ(whole_of(next_matrix, next.nodes->vectors[v]), factors.r[v]);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Executors, SmoothedTest, every_executor(), executor_name);

}  // namespace
}  // namespace halocline::amg
