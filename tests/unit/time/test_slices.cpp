// Slices of work: their size follows the time that steps take, and is the same on every rank.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "lib/time/slices.hpp"

namespace halocline {
namespace {

TEST(SliceSize, FollowsTheTimeOfSteps) {
  SliceSize size(10);
  size.note(10, 0.1);
  EXPECT_EQ(size.steps(), 20);
  size.note(20, 0.4);
  EXPECT_EQ(size.steps(), 10);
  size.note(10, 100);
  EXPECT_EQ(size.steps(), 1);
}

TEST(SliceSize, GrowsSlowlyAndKeepsItsLeast) {
  SliceSize size(64, 64, 8);
  size.note(64, 1e-9);
  EXPECT_EQ(size.steps(), 512);
  size.note(512, 1e9);
  EXPECT_EQ(size.steps(), 64);
}

TEST(Slices, HaveWholeGroupsAndAddUp) {
  const Communicator comm(MPI_COMM_WORLD);
  Slices slices(comm, 6);
  EXPECT_EQ(slices.steps(), 6);
  EXPECT_EQ(slices.run([] { return Index{6}; }), 6);
  EXPECT_EQ(slices.steps() % 6, 0);
  EXPECT_EQ(slices.steps(), 24);
  slices.run([] { return Index{0}; });  // nothing is learned from nothing
  EXPECT_EQ(slices.steps(), 24);
  EXPECT_EQ(slices.done(), 6);
}

TEST(Slices, FollowTheSlowestRank) {
  const Communicator comm(MPI_COMM_WORLD);
  Slices slices(comm);
  const bool slow = comm.rank() == comm.size() - 1;
  slices.run([&] {
    if (slow) std::this_thread::sleep_for(std::chrono::milliseconds(300));
    return Index{1};
  });
  EXPECT_EQ(slices.steps(), 1);
  EXPECT_GE(slices.seconds(), 0.3);
}

}  // namespace
}  // namespace halocline
