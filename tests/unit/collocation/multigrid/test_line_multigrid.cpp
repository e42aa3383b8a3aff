// Multigrid with smoothing by lines: iterations of the specification (section 12, tables of section 8) where couplings
// are strong in one direction, that node smoothing is no match there, and what several parts change: nothing, but for
// lines both ways, whose horizontal ones are cut.

#include <gtest/gtest.h>

#include "lib/problems/collocation/methods.hpp"
#include "tests/unit/collocation/multigrid/solve_case.hpp"
#include "tests/unit/executors.hpp"

namespace halocline::collocation {
namespace {

int iterations(const Axis& x, const Axis& y, const Coefficients& equation, const std::string& exact,
               SmootherChoice smoother, double tolerance = 1e-12) {
  const Communicator comm(MPI_COMM_SELF);
  const Solved solved =
      solve_on(comm, {make_omp_executor(2)}, make_formulation(x, y, equation, exact), mg_options(smoother, tolerance));
  EXPECT_TRUE(solved.report.converged());
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

// Strong coupling along x: on a box that is a million times as high as wide, and by the coefficients.
std::vector<Formulation> coupled_along_x() {
  const Coefficients steep{"1+1e5*x^2", "0.1*sin(y/100)", "2+cos(y/200)", "3", "0.01", "-1"};
  const Coefficients strong{"100", "0", "1+x*y/10", "0", "0", "-1"};
  const Axis narrow(uniform_nodes(0, 1e-3, 16)), high(uniform_nodes(0, 1e3, 24), neumann, {1, 50});
  return {make_formulation(narrow, high, steep, "sin(3000*x)+y/1000"),
          make_formulation(unit(32), unit(32), strong, exact_us)};
}

class LineMultigridParts : public OnEveryExecutor {};

TEST_P(LineMultigridParts, HorizontalLinesDoNotChangeABit) {
  const Communicator comm(MPI_COMM_SELF);
  const bool host = GetParam() == TestDevice::omp_1 || GetParam() == TestDevice::omp_3;
  for (const Formulation& problem : coupled_along_x())
    for (const Start start : {Start::zero, Start::fmg}) {
      if (!host && (start == Start::fmg || problem.x.elements() > 16)) continue;  // emulated launches are slow
      SolverOptions options = mg_options(SmootherChoice::automatic);
      options.start = start;
      const Solved one = solve_on(comm, make_test_executors(GetParam(), 1), problem, options);
      EXPECT_NE(one.text.find("hline"), std::string::npos) << one.text;
      EXPECT_TRUE(one.report.converged());
      EXPECT_LE(one.report.iterations, 5);
      for (const int parts : host ? std::vector{2, 3, 4} : std::vector{2}) {
        const Solved s = solve_on(comm, make_test_executors(GetParam(), parts), problem, options);
        EXPECT_EQ(s.report.iterations, one.report.iterations) << parts;
        EXPECT_EQ(s.unknowns, one.unknowns) << parts;
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Executors, LineMultigridParts, every_executor(), executor_name);

TEST(LineMultigrid, TakesHorizontalLinesWhenAsked) {
  const Coefficients along_y{"1", "0", "100", "0", "0", "-1"}, along_x{"100", "0", "1", "0", "0", "-1"};
  const std::string exact = "sin(x)*cos(y)";
  const int expected = iterations(unit(32), unit(32), along_y, exact, SmootherChoice::vline);
  EXPECT_EQ(iterations(unit(32), unit(32), along_x, exact, SmootherChoice::hline), expected);
}

// Lines both ways work on 1 to 4 parts, though cut.
TEST(LineMultigrid, CutLinesBothWaysConverge) {
  const Communicator comm(MPI_COMM_SELF);
  const Axis axis = unit(64);
  const Formulation problem = make_formulation(axis, axis, p5, exact_us);
  for (const int parts : {1, 2, 3, 4}) {
    const Solved s =
        solve_on(comm, make_test_executors(TestDevice::omp_1, parts), problem, mg_options(SmootherChoice::alt));
    EXPECT_TRUE(s.report.converged());
    EXPECT_NEAR(s.report.iterations, 5, 1) << parts;
    EXPECT_NEAR(s.error[0], 1.38e-9, 0.03 * 1.38e-9);
  }
}

// Both axes graded a million to one: cut lines would take ten times the iterations.
TEST(LineMultigrid, StronglyCoupledLinesBothWaysAreNotCut) {
  const Communicator comm(MPI_COMM_SELF);
  const Axis axis(mapped_nodes(64, [](double t) { return std::expm1(14 * t) / std::expm1(14.0); }));
  const Formulation problem = make_formulation(axis, axis, p2, exact_us);
  const Solved one =
      solve_on(comm, make_test_executors(TestDevice::omp_1, 1), problem, mg_options(SmootherChoice::automatic));
  EXPECT_NE(one.text.find("alt"), std::string::npos) << one.text;
  EXPECT_LE(one.report.iterations, 10);
  for (const int parts : {2, 4}) {
    const Solved s =
        solve_on(comm, make_test_executors(TestDevice::omp_1, parts), problem, mg_options(SmootherChoice::automatic));
    EXPECT_EQ(s.report.iterations, one.report.iterations) << parts;
    EXPECT_EQ(s.unknowns, one.unknowns) << parts;
  }
}

// A part holds its own lines; with lines along x it holds the whole hierarchy besides.
TEST(LineMultigrid, MemoryOfHorizontalLinesDoesNotShrinkWithParts) {
  const Formulation problem = coupled_along_x()[1];
  const auto bytes = [&](SmootherChoice smoother, Index lines) {
    return static_cast<double>(multigrid_method.bytes(problem, mg_options(smoother), lines));
  };
  EXPECT_NEAR(bytes(SmootherChoice::vline, 33), bytes(SmootherChoice::hline, 33), 1);
  EXPECT_LT(bytes(SmootherChoice::vline, 8), 0.3 * bytes(SmootherChoice::vline, 33));
  EXPECT_GT(bytes(SmootherChoice::hline, 8), 0.6 * bytes(SmootherChoice::hline, 33));
}

}  // namespace
}  // namespace halocline::collocation
