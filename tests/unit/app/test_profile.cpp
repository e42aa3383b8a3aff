// The profile over parts and ranks, and its table; holds on any number of ranks.
#include "app/run/profile.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <thread>

#include "lib/base/profile/kernel_profile.hpp"

namespace halocline {
namespace {

void sleep_for(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

// On `parts` parts.
void check_kernels(const ProfileReport& report, int parts) {
  ASSERT_EQ(report.kernels.size(), 2u);
  const ProfileReport::Kernel &work = report.kernels[0], &extra = report.kernels[1];
  EXPECT_EQ(work.name, "work");
  EXPECT_EQ(work.calls, 4);
  EXPECT_EQ(work.bytes, 4e6 * parts);
  EXPECT_GE(work.max, 0.030);
  EXPECT_GE(work.mean, 0.0225);
  EXPECT_LT(work.mean, work.max);
  EXPECT_GT(work.of_copy_rate, 0);
  EXPECT_LT(work.of_copy_rate, work.bytes / (0.0225 * parts) / 1e6);
  EXPECT_EQ(report.share(work.mean), work.mean / 2);
  ASSERT_EQ(work.places.size(), 2u);
  EXPECT_EQ(work.places[0].scope, "solve");
  EXPECT_EQ(work.places[0].calls, 1);
  EXPECT_EQ(work.places[1].scope, "solve/step");
  EXPECT_EQ(work.places[1].calls, 3);
  EXPECT_EQ(extra.name, "extra");
  EXPECT_EQ(extra.calls, 3);  // of the only part that has it
  EXPECT_EQ(extra.bytes, 0);
  EXPECT_EQ(extra.of_copy_rate, 0);
}

void check_scopes(const ProfileReport& report) {
  const ProfileReport::Kernel &work = report.kernels[0], &extra = report.kernels[1];
  ASSERT_EQ(report.scopes.size(), 2u);
  for (const ProfileReport::Scope& scope : report.scopes) {
    const bool outer = scope.path == "solve";
    EXPECT_EQ(scope.calls, outer ? 1 : 3);
    EXPECT_GE(scope.itself, outer ? 0.02 : 0.03);
    EXPECT_GE(scope.mean, outer ? 0.05 : 0.03);
    EXPECT_GE(scope.max, scope.mean);
    const double kernels = work.mean + extra.mean - (outer ? 0 : work.places[0].mean);
    EXPECT_NEAR(scope.kernels, kernels, 1e-9);
  }
}

TEST(Profile, JoinsPartsAndRanks) {
  const Communicator comm(MPI_COMM_WORLD);
  Timers timers;
  const Team team({make_omp_executor(1, &timers), make_emulated_executor(1, true, &timers)}, 2 * comm.rank(),
                  2 * comm.size(), Transfer::staged, &timers);
  {
    const auto solve = timers.scope("solve");
    for (int round = 0; round < 3; ++round) {
      const auto step = team.scope("step");
      team.each([&](int part) {
        run_kernel(*team.executor(part), {"work", 1e6}, [part] { sleep_for(5 * (part + 1)); });
        if (part == 1 && comm.rank() == 0) run_kernel(*team.executor(part), "extra", [] { sleep_for(1); });
        team.executor(part)->synchronize();
      });
    }
    sleep_for(20);
    team.each([&](int part) { run_kernel(*team.executor(part), {"work", 1e6}, [] {}); });
    team.executor(1)->synchronize();
  }
  const ProfileReport report = collect_profile(comm, team, timers, 2.0);
  if (comm.rank() > 0) {
    EXPECT_TRUE(report.kernels.empty() && report.scopes.empty());
    return;
  }
  ASSERT_EQ(report.devices.size(), 2u);
  for (const ProfileReport::Device& device : report.devices) {
    EXPECT_EQ(device.parts, comm.size());
    EXPECT_GT(device.copy_rate, 1e6);
  }
  EXPECT_EQ(report.devices[0].kind, "emulated-lazy");
  EXPECT_EQ(report.devices[1].kind, "omp");

  check_kernels(report, 2 * comm.size());
  check_scopes(report);
}

ProfileReport sample() {
  ProfileReport report{10, {{"cuda", 2, 4.3e12}, {"omp", 1, 0}}, {}, {}};
  report.kernels.push_back({"schur product", 1200, 4.5, 4.75, 3e12, 0.825, {}});
  report.kernels.push_back({"update", 600, 0.0125, 0.013, 0, 0, {}});
  for (int n = 0; n < 11; ++n) report.kernels.push_back({"small", 1, 1e-6, 1e-6, 0, 0, {}});
  report.scopes.push_back({"solve/iterate", 60, 9, 9.1, 5, 4.5});
  report.scopes.push_back({"solve/iterate/halo wait", 1200, 3, 3.5, 3, 0});
  return report;
}

TEST(Profile, PrintsTheMostExpensive) {
  const std::string text = profile_table(sample());
  const auto has = [&](const std::string& line) { EXPECT_NE(text.find(line + "\n"), std::string::npos) << text; };
  has("  profile of 10 s on 2 x cuda, copies 4300 GB/s; 1 x omp, copy rate not measured");
  has("  kernel                       calls       time      share   per call      moved    of copy worst part");
  has("  schur product                 1200     4.5 s      45.0 %    3.75 ms       3 TB     82.5 %    4.75 s");
  has("  update                         600    12.5 ms      0.1 %    20.8 us          -          -      13 ms");
  has("  all 13 kernels                1811    4.51 s      45.1 %");
  has("  scope                        calls       time     itself      share    kernels");
  has("  solve/iterate/halo wait       1200       3 s        3 s      30.0 %       0 us");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2 + 1 + 1 + 10 + 1 + 1 + 1 + 2);
}

}  // namespace
}  // namespace halocline
