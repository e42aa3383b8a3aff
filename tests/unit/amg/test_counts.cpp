// Iterations and complexities of the problems that the method was tuned on, as a prototype measured them; and those
// that a threshold of strong couplings at 1/4 would spoil.
#include <gtest/gtest.h>

#include "tests/unit/amg/amg_system.hpp"
#include "tests/unit/sparse/named_problems.hpp"

namespace halocline::amg {
namespace {

struct Known {
  const char *problem, *method;
  int first, second;  // iterations to 1e-5, 1e-8
  double complexity;
  std::size_t levels;
};

class CountsTest : public testing::TestWithParam<Known> {
 protected:
  Devices alone_{MPI_COMM_SELF, TestDevice::omp_3, 1};
};

TEST_P(CountsTest, AreThoseOfThePrototype) {
  const Known& known = GetParam();
  const auto source = sparse::named_problem(known.problem);
  std::vector<double> rhs;
  const System system(alone_.space(whole_partition(source->rows())), {}, [&](const RowSpacePtr& rows) {
    sparse::Distributed made = distribute(*source, rows);
    rhs = made.rhs[0].to_host();
    return std::move(made.matrix);
  });
  const HierarchyFacts& facts = system.amg().facts();
  EXPECT_EQ(facts.levels.size(), known.levels);
  EXPECT_NEAR(facts.operator_complexity(), known.complexity, 0.02 * known.complexity);
  EXPECT_EQ(facts.ending, Ending::small);
  EXPECT_NEAR(system.iterations(1e-5, rhs, known.method), known.first, 1);
  EXPECT_NEAR(system.iterations(1e-8, rhs, known.method), known.second, 1);
  for (const LevelFacts& level : facts.levels) {
    EXPECT_EQ(level.guards.without_itself, 0);
    EXPECT_EQ(level.guards.direct, 0);
  }
}

constexpr std::array problems{
    Known{"p7:50", "cg", 8, 11, 2.76, 4},        Known{"p27:50", "cg", 6, 9, 1.21, 4},
    Known{"aniso:50", "cg", 8, 11, 3.34, 5},     Known{"jump:50,6", "cg", 10, 13, 2.79, 4},
    Known{"logn:50,6", "cg", 10, 14, 2.75, 5},   Known{"vent:0.10", "cg", 8, 14, 2.01, 4},
    Known{"mono:0.10", "cg", 11, 17, 2.14, 4},   Known{"cd:50,1e2", "gmres", 12, 18, 3.1, 5},
    Known{"cd:50,1e3", "gmres", 16, 25, 4.9, 7},
};
INSTANTIATE_TEST_SUITE_P(Problems, CountsTest, testing::ValuesIn(problems),
                         [](const auto& info) { return sparse::test_name_of(info.param.problem); });

// Bilinear elements on n x n inner points, z times as stiff along the second axis.
WholeMatrix bilinear(Index n, double z) {
  const double stiff[3] = {-1, 2, -1}, mass[3] = {1.0 / 6, 4.0 / 6, 1.0 / 6};
  WholeMatrix a{n * n, std::vector<std::map<Index, double>>(static_cast<std::size_t>(n * n))};
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i)
      for (Index q = std::max<Index>(j - 1, 0); q <= std::min(j + 1, n - 1); ++q)
        for (Index p = std::max<Index>(i - 1, 0); p <= std::min(i + 1, n - 1); ++p)
          a.rows[static_cast<std::size_t>(i + n * j)][p + n * q] =
              stiff[p - i + 1] * mass[q - j + 1] + z * mass[p - i + 1] * stiff[q - j + 1];
  return a;
}

// Couplings of exactly a quarter of the largest, but for 2 %, must not be strong.
TEST(Counts, OfStretchedElementsNeedAThresholdAboveAQuarter) {
  const Devices alone(MPI_COMM_SELF, TestDevice::omp_3, 1);
  const WholeMatrix whole = bilinear(160, 1e-3);
  AmgOptions options;
  const System system(alone, whole, whole_partition(whole.size()), options);
  EXPECT_NEAR(system.iterations(1e-5), 15, 1);
  EXPECT_NEAR(system.iterations(1e-8), 22, 1);
  options.hierarchy.coarsening.theta = 0.25;
  const System worse(alone, whole, whole_partition(whole.size()), options);
  EXPECT_GT(worse.iterations(1e-5), 50);
}

}  // namespace
}  // namespace halocline::amg
