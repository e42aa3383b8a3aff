// Hierarchies and cycles of algebraic multigrid: known counts, symmetry, the cycle written plainly, and equal bits on
// any partition.
#include "lib/amg/amg.hpp"

#include <gtest/gtest.h>

#include "lib/krylov/krylov.hpp"
#include "tests/unit/amg/amg_cases.hpp"
#include "tests/unit/random_numbers.hpp"

namespace halocline::amg {
namespace {

using sparse::Devices;
using sparse::DistCrs;
using sparse::DistMatrix;
using sparse::RowSpacePtr;

// A matrix on some layout with its preconditioner.
class System {
 public:
  System(const Devices& devices, const WholeMatrix& whole, Partition partition, const AmgOptions& options)
      : rows_(devices.space(std::move(partition))),
        a_(distribute(whole, rows_, rows_)),
        matrix_(a_),
        amg_(a_, matrix_, options, std::vector<double>(static_cast<std::size_t>(devices.team.total_parts()), 1)) {}

  const Amg& amg() const { return amg_; }
  const DistMatrix& matrix() const { return matrix_; }

  Vector<double> enter(const std::vector<double>& all) const {
    std::vector<Array<double, 1>> natural;
    for (int p = 0; p < rows_->team().parts(); ++p) {
      const Range<1> own = rows_->own(p);
      natural.push_back(
          make_array(rows_->team().executor(p), std::vector<double>(all.begin() + own.lo[0], all.begin() + own.hi[0])));
    }
    Vector<double> x(matrix_.space());
    matrix_.enter(natural, x);
    for (int p = 0; p < rows_->team().parts(); ++p) rows_->team().executor(p)->synchronize();
    return x;
  }
  std::vector<double> leave(const Vector<double>& x) const {
    std::vector<Array<double, 1>> natural;
    for (int p = 0; p < rows_->team().parts(); ++p)
      natural.emplace_back(rows_->team().executor(p), std::array<Index, 1>{rows_->own_size(p)});
    matrix_.leave(x, natural);
    std::vector<double> own;
    for (const auto& part : natural) {
      const std::vector<double> values = part.to_host();
      own.insert(own.end(), values.begin(), values.end());
    }
    return gather_lists(rows_->comm(), own).values;
  }
  std::vector<double> apply(const std::vector<double>& all) const {
    const Vector<double> x = enter(all);
    Vector<double> y(matrix_.space());
    amg_.apply(x, y);
    return leave(y);
  }
  // Iterations of CG from zero for a right-hand side of ones.
  int iterations(double tolerance) const {
    KrylovOptions options;
    options.tolerance = tolerance;
    const Vector<double> b = enter(std::vector<double>(static_cast<std::size_t>(rows_->size()), 1));
    Vector<double> x(matrix_.space());
    const auto cg = make_cg<double>(matrix_.space(), options);
    cg->begin(matrix_, &amg_, b, x);
    while (!cg->iterate(10)) {
    }
    return cg->report().converged() ? cg->report().iterations : -1;
  }

 private:
  RowSpacePtr rows_;
  DistCrs a_;
  DistMatrix matrix_;
  Amg amg_;
};

Partition whole_partition(Index rows) { return Partition::from_starts({0, rows}); }

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

struct Known {
  WholeMatrix whole;
  int first, second;  // iterations to 1e-5, 1e-8
  double complexity;
  std::size_t levels;
};

TEST(AmgCounts, AreThoseOfThePrototype) {
  if (Communicator(MPI_COMM_WORLD).size() > 1) GTEST_SKIP() << "the same on every rank";
  const Devices alone(MPI_COMM_SELF, TestDevice::omp_3, 1);
  for (const Known& known : {Known{seven_points(50), 8, 11, 2.76, 4}, Known{twenty_seven_points(50), 6, 9, 1.21, 4},
                             Known{seven_points(50, 1e-3), 8, 11, 3.34, 5}}) {
    const System system(alone, known.whole, whole_partition(known.whole.size()), {});
    const HierarchyFacts& facts = system.amg().facts();
    EXPECT_EQ(facts.levels.size(), known.levels);
    EXPECT_NEAR(facts.operator_complexity(), known.complexity, 0.02 * known.complexity);
    EXPECT_NEAR(system.iterations(1e-5), known.first, 1);
    EXPECT_NEAR(system.iterations(1e-8), known.second, 1);
    for (const LevelFacts& level : facts.levels) {
      EXPECT_EQ(level.guards.without_itself, 0);
      EXPECT_EQ(level.guards.direct, 0);
    }
  }
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
  for (const Index most_replicated : {Index{4096}, Index{32768}}) {
    AmgOptions options = small_levels();
    options.hierarchy.coarsening.most_replicated = most_replicated;
    const std::vector<double> x = random_numbers(whole.size(), 3);
    const System one(alone, whole, whole_partition(whole.size()), options);
    const std::vector<double> right = one.apply(x);
    for (int each = 1; each <= 2; ++each) {
      const Devices devices(MPI_COMM_WORLD, GetParam(), each);
      const System system(devices, whole, sparse::random_partition(whole.size(), 1024, devices.team.total_parts(), 7),
                          options);
      const HierarchyFacts &facts = system.amg().facts(), &expected = one.amg().facts();
      ASSERT_EQ(facts.levels.size(), expected.levels.size());
      for (std::size_t l = 0; l < facts.levels.size(); ++l) {
        EXPECT_EQ(facts.levels[l].rows, expected.levels[l].rows);
        EXPECT_EQ(facts.levels[l].entries, expected.levels[l].entries);
        EXPECT_EQ(facts.levels[l].weights, expected.levels[l].weights);
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
