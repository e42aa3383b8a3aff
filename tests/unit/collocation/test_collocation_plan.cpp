// The plan of a deck shares out the lines as the solver that the deck names needs them, and says what it means.
#include <gtest/gtest.h>

#include "tests/unit/collocation/collocation_cases.hpp"
#include "tests/unit/executors.hpp"
#include "tests/unit/run_problem.hpp"

namespace halocline::collocation {
namespace {

Plan plan_for(Method method, SmootherChoice smoother, Index ns, const std::vector<double>& weights) {
  CollocationOptions options = thesis(ns);
  options.block.solver.method = method;
  options.block.solver.smoother = smoother;
  ThrownFaults faults;
  return collocation_family().plan(options, {static_cast<int>(weights.size()), weights}, faults);
}

TEST(CollocationPlan, SharesOutLinesByWhatTheMethodNeeds) {
  const std::vector<double> weights{1, 1.2, 1};
  const auto expect = [&](Method method, SmootherChoice smoother, Index chunk) {
    EXPECT_EQ(plan_for(method, smoother, 512, weights).partition, Partition(513, chunk, weights, 2))
        << word_for(method) << " " << word_for(smoother);
  };
  // Multigrid distributes one level here; lines along x are whole on all parts, wherever parts begin.
  expect(Method::mg, SmootherChoice::automatic, 2);
  expect(Method::mg, SmootherChoice::vline, 2);
  expect(Method::mg, SmootherChoice::hline, 1);
  expect(Method::closed_form, SmootherChoice::automatic, 1);
  expect(Method::schur, SmootherChoice::automatic, 2);
  expect(Method::schur_mixed, SmootherChoice::automatic, 2);
}

TEST(CollocationPlan, SaysWhenPartsRepeatTheCycle) {
  const std::vector<std::string> none;
  EXPECT_EQ(plan_for(Method::mg, SmootherChoice::node, 32, {1, 1}).notes, none);
  EXPECT_EQ(plan_for(Method::mg, SmootherChoice::hline, 32, {1}).notes, none);
  const Plan whole = plan_for(Method::mg, SmootherChoice::hline, 32, {1, 1});
  ASSERT_EQ(whole.notes.size(), 1U);
  EXPECT_NE(whole.notes[0].find("every part repeats the whole cycle"), std::string::npos);
}

TEST(CollocationPlan, RefusesMorePartsThanTheMethodCanServe) {
  EXPECT_NO_THROW(plan_for(Method::mg, SmootherChoice::hline, 16, std::vector<double>(8, 1.0)));
  EXPECT_THROW(plan_for(Method::mg, SmootherChoice::hline, 16, std::vector<double>(9, 1.0)), DeckError);
}

TEST(CollocationPlan, RunsOwnWhatItHasSharedOut) {
  const auto options = thesis(32);
  ThrownFaults faults;
  const Plan plan = collocation_family().plan(options, {1, {1, 1, 1}}, faults);
  const auto run = run_problem(Communicator(MPI_COMM_SELF), make_test_executors(TestDevice::omp_1, 3), options);
  for (int p = 0; p < 3; ++p) {
    EXPECT_EQ(run.output.fields.at("u")[p].block.lo[0], plan.partition.block(p).lo[0]);
    EXPECT_EQ(run.output.fields.at("u")[p].block.hi[0], plan.partition.block(p).hi[0]);
  }
}

}  // namespace
}  // namespace halocline::collocation
