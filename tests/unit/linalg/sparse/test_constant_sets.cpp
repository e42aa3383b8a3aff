// Sets of rows on which a matrix maps constants to zero, against those the matrix was made of, on any partition.
#include <algorithm>
#include <numeric>

#include "lib/linalg/sparse/constant_sets.hpp"
#include "tests/unit/linalg/sparse/sparse_cases.hpp"

namespace halocline::sparse {
namespace {

// Laplacians of paths and trees that visit the rows in a random order: row i belongs to graph i mod `graphs`; those of
// `grounded` have one row whose sum is not zero.
WholeMatrix graphs_matrix(Index rows, Index graphs, const std::vector<Index>& grounded, unsigned seed) {
  WholeMatrix whole{rows, std::vector<std::map<Index, double>>(static_cast<std::size_t>(rows))};
  std::vector<Index> order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), Index{0});
  std::mt19937 random(seed);
  std::shuffle(order.begin(), order.end(), random);
  std::vector<std::vector<Index>> members(static_cast<std::size_t>(graphs));
  for (const Index row : order) {
    auto& graph = members[static_cast<std::size_t>(row % graphs)];
    graph.push_back(row);
    if (graph.size() == 1) continue;
    const bool path = row % graphs % 2 == 0;
    const Index other = path ? graph[graph.size() - 2] : graph[random() % (graph.size() - 1)];
    const double weight = 1 + static_cast<double>(random() % 1000) / 7;
    auto& a = whole.rows[static_cast<std::size_t>(row)];
    auto& b = whole.rows[static_cast<std::size_t>(other)];
    a[other] -= weight;
    b[row] -= weight;
    a[row] += weight;
    b[other] += weight;
  }
  for (const Index graph : grounded) {
    const Index row = members[static_cast<std::size_t>(graph)].back();
    whole.rows[static_cast<std::size_t>(row)][row] += 1e-3;
  }
  return whole;
}

std::vector<double> all_of(const Communicator& comm, const ConstantSets& sets) {
  std::vector<double> own;
  for (const auto& part : sets.of_rows) {
    const auto values = part.to_host();
    own.insert(own.end(), values.begin(), values.end());
  }
  return gather_lists(comm, own).values;
}

class ConstantSetsTest : public testing::TestWithParam<TestDevice> {};

TEST_P(ConstantSetsTest, ComponentsWithoutGround) {
  const Index n = 4000, graphs = 40;
  const std::vector<Index> grounded{0, 3, 17, 39};
  const WholeMatrix whole = graphs_matrix(n, graphs, grounded, 5);
  std::vector<double> expected;
  Index count = 0;
  std::map<Index, Index> numbers;  // sets by their lowest rows, which are 0 ... graphs - 1
  for (Index graph = 0; graph < graphs; ++graph)
    if (std::find(grounded.begin(), grounded.end(), graph) == grounded.end()) numbers[graph] = ++count;
  for (Index row = 0; row < n; ++row)
    expected.push_back(numbers.count(row % graphs) > 0 ? static_cast<double>(numbers[row % graphs]) : 0.0);
  on_partitions(GetParam(), [&](const Devices& devices, unsigned seed) {
    const auto rows = devices.space(n, 64, seed);
    const DistCrs a = distribute(whole, rows, rows);
    const ConstantSets sets = constant_sets(a, 256);
    EXPECT_EQ(sets.count, 36);
    EXPECT_EQ(all_of(devices.comm, sets), expected);
    const ConstantSets too_many = constant_sets(a, 35);
    EXPECT_EQ(too_many.count, 36);
    EXPECT_TRUE(too_many.of_rows.empty());
  });
}

TEST_P(ConstantSetsTest, GroundReachesAll) {
  const Devices devices(MPI_COMM_WORLD, GetParam(), 2);
  const auto rows = devices.space(3000, 64, 1);
  EXPECT_EQ(constant_sets(distribute(graphs_matrix(3000, 1, {0}, 2), rows, rows), 256).count, 0);
  EXPECT_EQ(constant_sets(distribute(graphs_matrix(3000, 1, {}, 2), rows, rows), 256).count, 1);
}

INSTANTIATE_TEST_SUITE_P(Executors, ConstantSetsTest, every_executor(), executor_name);

}  // namespace
}  // namespace halocline::sparse
