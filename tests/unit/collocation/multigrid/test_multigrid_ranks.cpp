// Multigrid on several ranks with several devices each: the bits of one part.
#include <gtest/gtest.h>

#include "tests/unit/collocation/multigrid/solve_case.hpp"

namespace halocline::collocation {
namespace {

TEST(MultigridRanks, DoNotChangeABit) {
  const Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  const Axis x = unit(72, dirichlet, robin_high), y = unit(16);
  const Formulation problem = make_formulation(x, y, p2, exact_us);
  for (const SmootherChoice smoother : {SmootherChoice::node, SmootherChoice::vline, SmootherChoice::hline}) {
    for (const Start start : {Start::zero, Start::fmg}) {
      SolverOptions options = mg_options(smoother);
      options.start = start;
      const Solved alone = solve_on(self, {make_omp_executor(1)}, problem, options);
      EXPECT_TRUE(alone.report.converged());
      for (const int devices : {1, 2}) {
        std::vector<ExecutorPtr> executors;
        for (int d = 0; d < devices; ++d) executors.push_back(make_emulated_executor(1, true));
        const Solved together = solve_on(world, executors, problem, options);
        EXPECT_EQ(together.report.iterations, alone.report.iterations);
        const Index first = world.exclusive_scan(static_cast<Index>(together.unknowns.size()));
        const auto begin = alone.unknowns.begin() + first;
        EXPECT_TRUE(std::equal(together.unknowns.begin(), together.unknowns.end(), begin)) << devices << " devices";
      }
    }
  }
}

}  // namespace
}  // namespace halocline::collocation
