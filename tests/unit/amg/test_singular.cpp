// Singular matrices and nearly singular ones: components of any size on which constants are mapped to zero, whose rows
// vanish on coarse levels; isolated rows; solutions that are known.
#include <gtest/gtest.h>

#include "lib/krylov/null_space.hpp"
#include "tests/unit/amg/amg_system.hpp"

namespace halocline::amg {
namespace {

// A graph without ground in components, chains and stars one after the other; to the diagonal of every third one
// `shift` times it is added.
struct Graph {
  WholeMatrix a{0, {}};
  std::vector<Index> sets;       // of rows: 1, 2, ... on components without a shift, else 0
  std::vector<double> solution;  // of mean zero on these
  std::vector<double> rhs() const {
    std::vector<double> f;
    for (const auto& row : a.rows) {
      f.push_back(0);
      for (const auto& [column, value] : row) f.back() += value * solution[static_cast<std::size_t>(column)];
    }
    return f;
  }
};

Graph graph_of(const std::vector<Index>& components, double shift, unsigned seed) {
  Graph made;
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  Index sets = 0;
  for (std::size_t c = 0; c < components.size(); ++c) {
    const Index first = made.a.columns, size = components[c];
    made.a.columns += size;
    made.a.rows.resize(static_cast<std::size_t>(made.a.columns));
    const auto entry = [&](Index i, Index j) -> double& {
      return made.a.rows[static_cast<std::size_t>(first + i)][first + j];
    };
    for (Index i = 1; i < size; ++i) {
      const Index j = c % 2 == 0 ? i - 1 : 0;
      const double weight = std::pow(2, number(random));
      entry(i, j) = entry(j, i) = -weight;
      entry(i, i) += weight;
      entry(j, j) += weight;
    }
    const bool shifted = size == 1 || (shift > 0 && c % 3 == 2);
    for (Index i = 0; i < size && shifted; ++i) entry(i, i) += size == 1 ? 1e-7 : shift * entry(i, i);
    if (!shifted) ++sets;
    double mean = 0;
    for (Index i = 0; i < size; ++i) {
      made.sets.push_back(shifted ? 0 : sets);
      made.solution.push_back(number(random));
      mean += made.solution.back() / static_cast<double>(size);
    }
    for (Index i = 0; i < size && !shifted; ++i) made.solution[static_cast<std::size_t>(first + i)] -= mean;
  }
  return made;
}

struct Solved {
  int iterations = -1;  // where it has not converged
  std::vector<double> x;
};

class SingularTest : public OnEveryExecutor {
 protected:
  static Solved solve(const Devices& devices, const Graph& graph, Partition partition, const AmgOptions& options) {
    const RowSpacePtr rows = devices.space(std::move(partition));
    RowKinds kinds;
    for (int p = 0; p < devices.team.parts(); ++p) {
      const Range<1> own = rows->own(p);
      kinds.null_set.push_back(
          make_array(devices.team.executor(p),
                     std::vector<Index>(graph.sets.begin() + own.lo[0], graph.sets.begin() + own.hi[0])));
    }
    const System system(
        rows, options, [&](const RowSpacePtr& space) { return distribute(graph.a, space, space); }, std::move(kinds));
    const std::vector<double> sets(graph.sets.begin(), graph.sets.end());
    const NullSpace null_space(system.enter(sets),
                               static_cast<int>(*std::max_element(graph.sets.begin(), graph.sets.end())));
    const ProjectedOperator projected(&system.amg(), null_space);
    KrylovOptions wanted;
    wanted.tolerance = 1e-10;
    wanted.max_iterations = 100;
    Vector<double> b = system.enter(graph.rhs()), x(system.matrix().space());
    null_space.project(b);
    const auto solver = make_krylov<double>("fcg", system.matrix().space(), wanted);
    solver->begin(system.matrix(), &projected, b, x);
    while (!solver->iterate(10)) {
    }
    null_space.project(x);
    return {solver->report().converged() ? solver->report().iterations : -1, system.leave(x)};
  }
  // The solution against the known one, in the norm of the energy.
  static double error(const Graph& graph, const std::vector<double>& x) {
    double wrong = 0, all = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      for (const auto& [j, value] : graph.a.rows[i]) {
        const auto n = static_cast<std::size_t>(j);
        wrong += (x[i] - graph.solution[i]) * value * (x[n] - graph.solution[n]);
        all += graph.solution[i] * value * graph.solution[n];
      }
    return std::sqrt(std::max(wrong, 0.0) / all);
  }
  static AmgOptions options(Index coarse_max, CoarseningKind kind, Precision precision) {
    AmgOptions made;
    made.precision = precision;
    made.hierarchy.coarsening.kind = kind;
    made.hierarchy.coarsening.coarse_max = coarse_max;
    return made;
  }
};

// The largest component makes levels on which the others are single rows.
TEST_P(SingularTest, HasTheKnownSolution) {
  if (Communicator(MPI_COMM_WORLD).size() > 1) GTEST_SKIP();
  const Devices alone(MPI_COMM_SELF, GetParam(), 1);
  unsigned seed = 0;
  for (const auto& sizes : {std::vector<Index>{400, 3, 3, 3, 3, 3}, {2, 7, 1, 300, 2, 90, 1, 1, 40, 5}})
    for (const double shift : {0.0, 1e-9})
      for (const Index coarse_max : {1, 1024})
        for (const CoarseningKind kind : {CoarseningKind::classical, CoarseningKind::aggregation})
          for (const Precision precision : {Precision::fp32, Precision::fp64}) {
            const Graph graph = graph_of(sizes, shift, ++seed);
            const Solved found =
                solve(alone, graph, whole_partition(graph.a.size()), options(coarse_max, kind, precision));
            EXPECT_GT(found.iterations, 0) << seed;
            EXPECT_LT(found.iterations, kind == CoarseningKind::classical ? 25 : 80) << seed;
            EXPECT_LT(error(graph, found.x), shift == 0 ? 1e-8 : 1e-5) << seed;
          }
}

TEST_P(SingularTest, HasTheSameBitsOnAnyPartition) {
  const Devices alone(MPI_COMM_SELF, GetParam(), 1);
  const Graph graph = graph_of({3, 2500, 2, 1, 900, 1800, 4}, 1e-8, 77);
  for (const CoarseningKind kind : {CoarseningKind::classical, CoarseningKind::aggregation}) {
    const AmgOptions wanted = options(1, kind, Precision::fp32);
    const Solved right = solve(alone, graph, whole_partition(graph.a.size()), wanted);
    EXPECT_LT(error(graph, right.x), 1e-5);
    for (int each = 1; each <= 2; ++each) {
      const Devices devices(MPI_COMM_WORLD, GetParam(), each);
      const Solved found =
          solve(devices, graph, sparse::random_partition(graph.a.size(), 1024, devices.team.total_parts(), 7), wanted);
      EXPECT_EQ(found.iterations, right.iterations);
      EXPECT_EQ(found.x, right.x);
    }
  }
}

// What constants are mapped to zero on is not told: rows that stand for a component are rounding still, and zero.
TEST_P(SingularTest, RowsThatAreRoundingVanish) {
  if (Communicator(MPI_COMM_WORLD).size() > 1) GTEST_SKIP();
  const Devices alone(MPI_COMM_SELF, GetParam(), 1);
  const Graph graph = graph_of({300, 3, 5, 3}, 0, 3);
  for (const bool told : {false, true}) {
    const RowSpacePtr rows = alone.space(whole_partition(graph.a.size()));
    const DistCrs a = distribute(graph.a, rows, rows);
    RowKinds kinds;
    if (told) kinds.null_set.push_back(make_array(alone.team.executor(0), graph.sets));
    CoarseningOptions wanted;
    wanted.coarse_max = 8;
    Coarsening coarsening(wanted, std::vector<double>{1});
    HierarchyFacts facts;
    Index vanished = 0;
    for (std::unique_ptr<Stage> stage = first_stage(a, std::move(kinds)); stage != nullptr;) {
      for (const auto& row : collect(*stage->a).rows) {
        double size = 0;
        for (const auto& [column, value] : row) size += std::abs(value);
        vanished += size == 0 ? 1 : 0;
        EXPECT_TRUE(size == 0 || size > 1e-6) << size;
      }
      stage->facts.entries = stage->a->entries();
      facts.levels.push_back(stage->facts);
      stage = coarsening.next(*stage, facts);
    }
    EXPECT_GT(facts.levels.size(), 3u);
    EXPECT_EQ(vanished, 3);  // each becomes a single row, and is then left out
  }
}

INSTANTIATE_TEST_SUITE_P(Executors, SingularTest, every_executor(), executor_name);

}  // namespace
}  // namespace halocline::amg
