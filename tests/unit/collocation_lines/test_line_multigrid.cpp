// Multigrid with smoothing by lines: iterations of the specification (section 12, tables of section 8) where couplings
// are strong in one direction, and that node smoothing is no match there.

#include <gtest/gtest.h>

#include "tests/unit/collocation_mg/solve_case.hpp"
#include "tests/unit/executors.hpp"

namespace halocline::collocation {
namespace {

int iterations(const Axis& x, const Axis& y, const Coefficients& equation, const std::string& exact,
               SmootherChoice smoother, double tolerance = 1e-12) {
  const Communicator comm(MPI_COMM_SELF);
  const Solved solved =
      solve_on(comm, {make_omp_executor(2)}, make_formulation(x, y, equation, exact), mg_options(smoother, tolerance));
  EXPECT_TRUE(solved.report.converged);
  return solved.report.iterations;
}

TEST(LineMultigrid, TakesTheIterationsOfTheSpecification) {
  const Axis x = unit(64), finer = unit(128);
  EXPECT_NEAR(iterations(x, x, p1, exact_p1, SmootherChoice::alt), 5, 1);
  EXPECT_NEAR(iterations(x, x, p6, exact_us, SmootherChoice::alt), 5, 1);
  EXPECT_NEAR(iterations(finer, finer, p4, exact_us, SmootherChoice::alt), 5, 1);
}

TEST(LineMultigrid, NodeSmoothingIsNoMatch) {
  const Axis x = unit(128);
  EXPECT_NEAR(iterations(x, x, p4, exact_us, SmootherChoice::node), 24, 2);
}

TEST(LineMultigrid, TakesStretchedMeshesAndAnySides) {
  const auto stretched = [](double t) { return 1 + std::tanh(3 * t - 3) / std::tanh(3.0); };
  const auto graded = [](double t) { return 0.7 * std::pow(t, 1.5) + 0.3 * t; };
  for (const Index n : {16, 32, 64}) {
    const auto alt = [&](const Axis& x, const Axis& y) {
      return iterations(x, y, p2, exact_us, SmootherChoice::alt, 1e-10);
    };
    EXPECT_NEAR(alt(Axis(mapped_nodes(n, stretched)), unit(n)), 4, 1) << n;
    EXPECT_NEAR(alt(Axis(mapped_nodes(n, graded)), Axis(mapped_nodes(n, graded))), 4, 1) << n;
    EXPECT_NEAR(alt(unit(n, neumann, neumann), unit(n, neumann, neumann)), 4, 1) << n;
    EXPECT_NEAR(alt(unit(n, robin_low, robin_high), unit(n, {}, neumann)), 4, 1) << n;
    EXPECT_NEAR(alt(Axis(random_nodes(n, 4, 1)), Axis(random_nodes(n, 4, 2))), 4, 1) << n;
  }
  EXPECT_NEAR(iterations(unit(64), Axis(uniform_nodes(0, 0.25, 64)), p2, exact_us, SmootherChoice::alt, 1e-10), 5, 1);
}

}  // namespace
}  // namespace halocline::collocation
