// Method schur for general coefficients: against LAPACK on the dense matrix, iteration counts of the specification, and
// the same bits on any number of parts.

#include <gtest/gtest.h>

#include <cmath>

#include "lib/problems/collocation/discretization/nodal_vectors.hpp"
#include "lib/problems/collocation/methods.hpp"
#include "lib/problems/collocation/schur/block_schur.hpp"
#include "tests/unit/collocation/lines/lines_cases.hpp"
#include "tests/unit/collocation/schur/solver_runs.hpp"

namespace halocline::collocation {
namespace {

using BlockSchurTest = OnEveryExecutor;

TEST_P(BlockSchurTest, SolutionEqualsDenseLu) {
  for (const auto& [n, m] : {std::pair<Index, Index>{2, 3}, {3, 2}, {7, 6}, {8, 5}})
    for (const Case& c : all_cases(n, m)) {
      if (GetParam() != TestDevice::omp_1 && n != 7) continue;  // emulated launches are slow
      const Dense dense(c);
      const auto expected = dense.unknowns(lapack_solve(dense.a, Dense::right_hand_side(c)));
      const SolverRun run(block_schur_method.make, formulation_of(c), make_test_executors(GetParam(), 1), tight());
      EXPECT_TRUE(run.report.converged()) << c.name;
      expect_unknowns(run, {0, n + 1, n, m}, expected, 1e-9, c.name);
    }
}

TEST_P(BlockSchurTest, BitsDoNotDependOnParts) {
  // Strips of unequal length, odd and even numbers of lines, as many parts as there are pairs of lines.
  for (const Index nx : {7, 8, 33, 100}) {
    SolverOptions options = tight();
    if (GetParam() != TestDevice::omp_1) options.max_iterations = 5;
    const Case c = all_cases(nx, 4)[4];
    const SolverRun one(block_schur_method.make, formulation_of(c), make_test_executors(GetParam(), 1), options);
    for (const int parts : {2, 3, 4}) {
      const SolverRun run(block_schur_method.make, formulation_of(c), make_test_executors(GetParam(), parts), options);
      EXPECT_EQ(run.report.history, one.report.history) << nx << ", " << parts;
      EXPECT_EQ(run.unknowns, one.unknowns) << nx << ", " << parts;
    }
  }
}

TEST_P(BlockSchurTest, RestoredIterationGoesOnWithTheSameBits) {
  const Formulation problem = formulation_of(all_cases(20, 6)[2]);
  expect_same_after_restore(block_schur_method.make, problem, GetParam(), tight(), 5);
}

// On sides unpack() makes (v, w) a multiple z t of the tangent, z = (v, w) t fused with v t_v last, and writes no -0.0:
// fields must not depend on how compilers contract these products.
TEST_P(BlockSchurTest, UnpackedSidesHaveTheBitsOfFusedProducts) {
  const Index n = 7, m = 6;
  const Case c = all_cases(n, m)[2];
  const Formulation problem = formulation_of(c);
  const Communicator comm(MPI_COMM_SELF);
  const Team team(make_test_executors(GetParam(), 1), 0, 1);
  const NodalBlock nodal{0, n + 1, n, m};
  BlockSchur<double> schur(comm, team, {nodal}, problem, 1);
  const LineBlock& block = schur.block(0);
  Vector<double> x(schur.space()), all(nodal_vector_space(comm, team, {nodal}));
  const auto unpacked = [&](const std::vector<double>& values) {
    team.executor(0)->copy_in(x.part(0).data, values.data(), values.size() * sizeof(double));
    schur.recover(x);
    schur.unpack(x, 2, all);
    std::vector<double> lines(static_cast<std::size_t>(nodal.size()));
    team.executor(0)->copy_out(lines.data(), all.part(0).data, lines.size() * sizeof(double));
    return lines;
  };
  std::vector<double> given = random_numbers(x.part(0).size(), 7);
  const std::vector<double> lines = unpacked(given);
  for (const Index line : {1, 3, 5})
    for (const End end : {End::low, End::high}) {
      const Index j = end == End::low ? 0 : m;
      const auto t = problem.y.tangent(end);
      for (int slope = 0; slope < 2; ++slope) {
        const auto packed = [&](int k) { return 2 * given[block.offset(line / 2) + (4 * j + slope + 2 * k) * lanes]; };
        const double z = std::fma(packed(0), t[0], packed(1) * t[1]);
        for (int k = 0; k < 2; ++k)
          EXPECT_EQ(lines[line * nodal.line_size() + nodal.place(slope + 2 * k, j)], z * t[k]) << line << " " << j;
      }
    }
  std::fill(given.begin(), given.end(), -0.0);
  for (const double value : unpacked(given)) EXPECT_FALSE(value == 0 && std::signbit(value));
}

INSTANTIATE_TEST_SUITE_P(Executors, BlockSchurTest, every_executor(), executor_name);

// Strong convection across the lines: the Schur complement is so far from normal that the vectors of the iteration grow
// beyond 1e50, while the residual it updates becomes small.
TEST(BlockSchur, DoesNotTakeTheUpdatedResidualForTheTrueOne) {
  Case c{"convection", nodes_of(64), nodes_of(64), {}, {0, 1}, {}, {0, 1}};
  set_constant(c, {1, 0, 1, 0, 0, 0});
  c.text[3] = "500*(1+y)";
  c.text[4] = "-300*x";
  const Formulation problem = formulation_of(c);
  SolverOptions options = tight();
  options.tolerance = 1e-9;
  options.max_iterations = 20000;
  const SolverRun run(block_schur_method.make, problem, {make_omp_executor(1)}, options);
  EXPECT_FALSE(run.report.converged());
  EXPECT_TRUE(run.report.failed());
  EXPECT_GT(run.report.residual, 1);
  // Nor does a run that goes on from there.
  MemoryArchive archive;
  SolverSetUp first(block_schur_method.make, problem, {make_omp_executor(1)}, options);
  first.solver->begin();
  while (!first.solver->iterate(1000)) {
  }
  first.solver->archive(archive);
  archive.restore_from_now_on();
  SolverSetUp second(block_schur_method.make, problem, {make_omp_executor(1)}, options);
  second.solver->archive(archive);
  EXPECT_FALSE(second.solver->report().converged());
  EXPECT_TRUE(second.solver->iterate(1));
  EXPECT_EQ(second.solver->report().residual, run.report.residual);
}

// Section 12 of the specification: P1, P2 and P2 with derivatives on all sides, to 1e-9; the solver goes to half of it.
TEST(BlockSchur, TakesTheIterationsOfTheSpecification) {
  struct Count {
    CollocationOptions options;
    int iterations;
  };
  for (const auto& [options, expected] :
       {Count{p1(16), 20}, {p1(32), 35}, {p1(64), 71}, {p1(128), 142}, {p2(64), 72}, {p2(128), 141}}) {
    const SolverRun run(block_schur_method.make, formulate(options), {make_omp_executor(2)}, options.block.solver);
    EXPECT_TRUE(run.report.converged());
    EXPECT_NEAR(run.report.iterations, expected, std::max(1.0, 0.08 * expected));
  }
}

TEST(BlockSchur, TakesTheIterationsOfTheSpecificationWithDerivativesGiven) {
  const CollocationOptions options = p2(128, SideKind::neumann);
  const SolverRun run(block_schur_method.make, formulate(options), {make_omp_executor(2)}, options.block.solver);
  EXPECT_NEAR(run.report.iterations, 265, 0.08 * 265);
}

}  // namespace
}  // namespace halocline::collocation
