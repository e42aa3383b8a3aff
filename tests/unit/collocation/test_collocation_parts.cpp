// The same bits on any number of ranks, devices and threads: every part against a run on one part.
#include <gtest/gtest.h>

#include "tests/unit/collocation/collocation_cases.hpp"
#include "tests/unit/collocation/equal_bits.hpp"
#include "tests/unit/executors.hpp"
#include "tests/unit/memory_archive.hpp"
#include "tests/unit/run_problem.hpp"

namespace halocline {
namespace {

class Parts : public testing::TestWithParam<TestDevice> {};

TEST_P(Parts, SolutionHasTheSameBitsAsOnOnePart) {
  const Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  // Even and odd numbers of lines; as many parts as there are pairs of lines; enough for work that overlaps the
  // exchange.
  for (const Index nx : {32, 33, 47, 200}) {
    auto options = manufactured("sin(2*x+1)*cos(3*y) + exp(x*y/2)", nx, 6, 1, 2, 0.5, -1);
    options.block.solver.tolerance = 1e-11;
    const RunResult whole = run_problem(self, {reference_for(GetParam())}, options);
    EXPECT_LT(whole["max_error.u"], 1e-3);
    for (const int devices : {1, 2, 4}) {
      const RunResult parts = run_problem(world, make_test_executors(GetParam(), devices), options);
      expect_equal_bits(parts, whole);
      EXPECT_EQ(parts.traffic.messages > 0, world.size() > 1);
    }
  }
}

// Conditions that vary along sides, on parts that end beside and between pieces' ends.
TEST_P(Parts, SidesThatVaryHaveTheSameBitsAsOnOnePart) {
  const Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  auto options = manufactured("sin(2*x+1)*cos(3*y) + exp(x*y/2)", 64, 16, 1, 2, 0.5, -1);
  auto& sides = options.block.sides;
  sides.sides[0].given = sides.sides[3].given = true;
  sides.sides[0].kind = collocation::SideKind::robin;
  sides.sides[0].alpha = formula("1 + y^2");
  sides.sides[0].beta = formula("exp(-y)");
  sides.sides[3].to = formula("0.375");
  sides.sides[3].further.resize(1);
  sides.sides[3].further[0].kind = collocation::SideKind::neumann;
  for (const collocation::Method method : {collocation::Method::mg, collocation::Method::schur}) {
    options.block.solver.method = method;
    const RunResult whole = run_problem(self, {reference_for(GetParam())}, options);
    EXPECT_LT(whole["max_error.u"], 2e-6);
    for (const int devices : {1, 2, 4})
      expect_equal_bits(run_problem(world, make_test_executors(GetParam(), devices), options), whole);
  }
}

// Parts that are their own neighbors, or each other's on both sides.
TEST_P(Parts, PeriodicSidesHaveTheSameBitsAsOnOnePart) {
  const Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  for (const char* axes : {"x", "xy"})
    for (const collocation::Method method : {collocation::Method::mg, collocation::Method::schur}) {
      SCOPED_TRACE(std::string(axes) + " by " + word_for(method));
      auto options = periodic(axes, 64, 16);
      options.block.solver.method = method;
      const RunResult whole = run_problem(self, {reference_for(GetParam())}, options);
      EXPECT_LT(whole["max_error.u"], 2e-4);
      for (const int devices : {1, 3})
        expect_equal_bits(run_problem(world, make_test_executors(GetParam(), devices), options), whole);
    }
}

// Saved in the middle on one part, restored on three: the rest of the iteration has the same bits.
TEST_P(Parts, RestoredIterationGoesOnWithTheSameBits) {
  const Communicator self(MPI_COMM_SELF);
  auto options = manufactured("sin(2*x+1)*cos(3*y) + exp(x*y/2)", 47, 6, 1, 2, 0.5, -1);
  options.block.solver.tolerance = 1e-11;
  const RunResult whole = run_problem(self, {reference_for(GetParam())}, options);

  MemoryArchive archive;
  Timers timers;
  Log log(false, LogLevel::off);
  {
    const Team team({make_test_executor(GetParam())}, 0, 1);
    const Shape one;
    const auto problem =
        collocation_family().make({self, team, timers, log, one, 1, partition_of(options, one)}, options);
    problem->initialize();
    while (problem->advance(1e300).t < 10) {
    }
    problem->archive(archive);
  }
  archive.restore_from_now_on();
  const Team team(make_test_executors(GetParam(), 3), 0, 3);
  const Shape three{1, {1, 1, 1}};
  const auto problem =
      collocation_family().make({self, team, timers, log, three, 1, partition_of(options, three)}, options);
  problem->archive(archive);
  while (!problem->advance(1e300).finished) {
  }
  RunResult rest;
  problem->publish(rest.output);
  problem->verify(rest.findings);
  expect_equal_bits(rest, whole);
}

// Kinds of devices differ by rounding alone: nine digits of the error, and an iteration or two.
TEST_P(Parts, SolutionIsThatOfTheHost) {
  const Communicator self(MPI_COMM_SELF);
  auto options = manufactured("sin(2*x+1)*cos(3*y) + exp(x*y/2)", 33, 6, 1, 2, 0.5, -1);
  options.block.solver.tolerance = 1e-13;
  const RunResult host = run_problem(self, {make_omp_executor(1)}, options);
  const RunResult device = run_problem(self, {make_test_executor(GetParam())}, options);
  for (const char* name : {"max_error.u", "max_error.u_x", "max_error.u_y", "max_error.u_xy"})
    EXPECT_NEAR(device[name], host[name], 1e-9 * std::max(1.0, host[name])) << name;
  EXPECT_NEAR(device["iterations"], host["iterations"], 3);
}

INSTANTIATE_TEST_SUITE_P(Executors, Parts, every_executor(), executor_name);

}  // namespace
}  // namespace halocline
