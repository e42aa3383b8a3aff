#include <gtest/gtest.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <set>
#include <thread>
#include <vector>

#include "lib/base/error.hpp"
#include "mpi/binding.hpp"
#include "mpi/team.hpp"
#include "tests/unit/executors.hpp"

namespace halocline {
namespace {

class TeamTest : public testing::TestWithParam<TestDevice> {};
INSTANTIATE_TEST_SUITE_P(Executors, TeamTest, every_executor(), executor_name);

TEST_P(TeamTest, DoesEveryPartOnce) {
  for (int parts : {1, 2, 5}) {
    const Team team(make_test_executors(GetParam(), parts), 3, 20);
    EXPECT_EQ(team.first_part(), 3);
    EXPECT_EQ(team.total_parts(), 20);
    std::vector<int> calls(static_cast<std::size_t>(parts), 0);
    for (int round = 0; round < 200; ++round) team.each([&](int part) { ++calls[part]; });
    EXPECT_EQ(calls, std::vector<int>(static_cast<std::size_t>(parts), 200));
  }
}

TEST_P(TeamTest, RunsPartsAtTheSameTime) {
  const Team team(make_test_executors(GetParam(), 3), 0, 3);
  std::atomic<int> present{0};
  team.each([&](int) {
    ++present;
    while (present < 3) std::this_thread::yield();  // hangs unless all three parts are inside
  });
  EXPECT_EQ(present, 3);
}

TEST_P(TeamTest, RethrowsTheErrorOfTheLowestPartAndGoesOn) {
  const Team team(make_test_executors(GetParam(), 4), 0, 4);
  std::atomic<int> done{0};
  try {
    team.each([&](int part) {
      ++done;
      if (part == 1) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      if (part >= 1) throw NumericalError("part " + std::to_string(part));
    });
    FAIL() << "no error";
  } catch (const NumericalError& error) {
    EXPECT_STREQ(error.what(), "part 1");
  }
  EXPECT_EQ(done, 4);
  team.each([&](int) { ++done; });
  EXPECT_EQ(done, 8);
}

TEST(Team, KeepsOneThreadPerPart) {
  const Team team(make_test_executors(TestDevice::omp_1, 3), 0, 3);
  std::vector<std::thread::id> first(3), second(3);
  team.each([&](int part) { first[part] = std::this_thread::get_id(); });
  team.each([&](int part) { second[part] = std::this_thread::get_id(); });
  EXPECT_EQ(first, second);
  EXPECT_EQ(std::set<std::thread::id>(first.begin(), first.end()).size(), 3u);
}

TEST(Team, SinglePartRunsOnTheCallingThread) {
  const Team team(make_test_executors(TestDevice::omp_1, 1), 0, 1);
  team.each([caller = std::this_thread::get_id()](int) { EXPECT_EQ(std::this_thread::get_id(), caller); });
}

TEST(Team, GivesEveryPartItsOpenMPThreads) {
  const Team team(make_test_executors(TestDevice::omp_3, 2), 0, 2);
  std::vector<int> threads(2, 0);
  team.each([&](int part) {
#pragma omp parallel num_threads(team.executor(part)->threads())
    {
#pragma omp single
      threads[part] = omp_get_num_threads();
    }
  });
  EXPECT_EQ(threads, (std::vector<int>{3, 3}));
}

// libgomp builds a team anew where it is nested; here every thread must meet the same two in each round.
TEST(Team, KeepsTheOpenMPThreadsOfEveryPart) {
  const Team team({make_omp_executor(2), make_omp_executor(2), make_emulated_executor(2, false)}, 0, 3);
  std::vector<std::set<pid_t>> seen(3);
  for (int round = 0; round < 50; ++round) {
    team.each([&](int part) {
      std::array<pid_t, 2> now{};
#pragma omp parallel num_threads(2)
      now[static_cast<std::size_t>(omp_get_thread_num())] = gettid();
      seen[part].insert(now.begin(), now.end());
    });
  }
  for (const std::set<pid_t>& threads : seen) EXPECT_EQ(threads.size(), 2u);
}

std::vector<int> cores_now() {
  std::vector<int> cores = usable_cores();
  std::sort(cores.begin(), cores.end());
  return cores;
}

TEST(Team, BindsPartsAndTheirOpenMPThreadsToSharesOfTheCores) {
  const std::vector<int> all = usable_cores();
  for (const bool left_alone : {false, true}) {
    if (left_alone) setenv("OMP_PROC_BIND", "close", 1);
    const Team team({make_omp_executor(2), make_omp_executor(2)}, 0, 2);
    unsetenv("OMP_PROC_BIND");
    auto expected = share_cores(all, {{2, {}, false}, {2, {}, false}});
    for (std::vector<int>& cores : expected) {
      if (left_alone || cores.empty()) cores = all;
      std::sort(cores.begin(), cores.end());
    }
    team.each([&](int part) {
#pragma omp parallel num_threads(2)
#pragma omp critical
      EXPECT_EQ(cores_now(), expected[part]) << part;
    });
    EXPECT_EQ(usable_cores(), all);  // the calling thread stays free
  }
}

TEST(Team, RefusesWrongPartNumbers) {
  EXPECT_THROW(Team({}, 0, 1), InternalError);
  EXPECT_THROW(Team(make_test_executors(TestDevice::omp_1, 2), 3, 4), InternalError);
}

}  // namespace
}  // namespace halocline
