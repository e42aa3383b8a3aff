// Newton's method has the same bits on any number of ranks, devices and threads, and after a restart in the middle of a
// step.
#include <gtest/gtest.h>

#include "tests/unit/collocation/equal_bits.hpp"
#include "tests/unit/collocation/newton/newton_cases.hpp"
#include "tests/unit/executors.hpp"
#include "tests/unit/memory_archive.hpp"
#include "tests/unit/run_problem.hpp"

namespace halocline {
namespace {

class NewtonParts : public testing::TestWithParam<TestDevice> {};

// Levels on all parts and levels that are shared out.
TEST_P(NewtonParts, SolutionHasTheSameBitsAsOnOnePart) {
  const Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  for (const auto& [nx, method] :
       {std::pair(Index{160}, collocation::Method::mg), std::pair(Index{36}, collocation::Method::mg),
        std::pair(Index{160}, collocation::Method::fd)}) {
    auto options = general(nx, 16);
    options.block.solver.method = method;
    const RunResult whole = run_problem(self, {reference_for(GetParam())}, options);
    EXPECT_TRUE(whole.findings.failure.empty()) << whole.findings.failure;
    EXPECT_LT(whole["max_error.u"], 1e-4);
    for (const int devices : {1, 3}) {
      const RunResult parts = run_problem(world, make_test_executors(GetParam(), devices), options);
      expect_equal_bits(parts, whole);
    }
  }
}

TEST_P(NewtonParts, RestoredStepGoesOnWithTheSameBits) {
  const Communicator self(MPI_COMM_SELF);
  const auto options = general(48, 16);
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
    for (double t = 0; t < 7;) t = problem->advance(t + 1).t;
    problem->archive(archive);
  }
  archive.restore_from_now_on();
  const Team team(make_test_executors(GetParam(), 2), 0, 2);
  const Shape two{1, {1, 1}};
  const auto problem =
      collocation_family().make({self, team, timers, log, two, 1, partition_of(options, two)}, options);
  problem->archive(archive);
  while (!problem->advance(1e300).finished) {
  }
  RunResult rest;
  problem->publish(rest.output);
  problem->verify(rest.findings);
  expect_equal_bits(rest, whole);
}

INSTANTIATE_TEST_SUITE_P(Executors, NewtonParts, every_executor(), executor_name);

}  // namespace
}  // namespace halocline
