#include "lib/base/profile/kernel_profile.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <thread>
#include <vector>

#include "gpu/launch.hpp"
#include "lib/base/array.hpp"
#include "mpi/team.hpp"
#include "tests/unit/executors.hpp"

namespace halocline {
namespace {

struct DoubleBody {
  View<double, 1> values;
  HALOCLINE_HD void operator()(Index i) const { values(i) *= 2; }
  void row(Index, Index begin, Index end) const {
    for (Index i = begin; i < end; ++i) values(i) *= 2;
  }
  HALOCLINE_HD void operator()(Index, Index i) const { values(i) *= 2; }
};
struct LaneBody {
  double* values;
  template <class P>
  HALOCLINE_HD void operator()(Index group, Index, Index lane) const {
    double* const place = values + group * lanes + lane;
    store(place, load<P>(place) + load<P>(place));
  }
};
struct ChunkBody {
  const double* values;
  template <class Sink>
  HALOCLINE_HD void operator()(Index chunk, Sink& sink) const {
    sink.add(0, values[chunk]);
  }
};
struct ValueBody {
  const double* values;
  HALOCLINE_HD double operator()(Index i) const { return values[i]; }
};
struct Larger {
  HALOCLINE_HD double operator()(double a, double b) const { return a < b ? b : a; }
};

constexpr Index size = 64;

// One kernel of every kind; what is wrong with their results.
void launch_all(const ExecutorPtr& executor) {
  Array<double, 1> array(executor, {size});
  array.assign(std::vector<double>(size, 1.0));
  const auto values = array.view();
  launch(*executor, {"double", 16.0 * size}, Range<1>{{0}, {size}}, DoubleBody{values});
  launch(*executor, "double", Range<1>{{0}, {0}}, DoubleBody{values});  // nothing to do is no call
  launch_rows(*executor, {"rows", 16.0 * size}, Range<2>{{0, 0}, {1, size}}, DoubleBody{values});
  launch_lanes(*executor, {"lanes", 16.0 * size}, size / lanes, 1, LaneBody{values.data});
  std::array<ExactSum, 1> sums;
  sum_chunks<1>(*executor, {"sum", 8.0 * size}, size, ChunkBody{values.data}, std::span<ExactSum, 1>(sums));
  EXPECT_EQ(sums[0].value(), 8.0 * size);
  EXPECT_EQ(reduce(*executor, "largest", Range<1>{{0}, {size}}, 0.0, Larger{}, ValueBody{values.data}), 8.0);
  EXPECT_EQ(array.to_host(), std::vector<double>(size, 8.0));
}

std::map<std::string, KernelProfile::Entry> by_name(const Executor& executor) {
  std::map<std::string, KernelProfile::Entry> found;
  for (const KernelProfile::Entry& entry : executor.profile()->entries())
    EXPECT_TRUE(found.emplace(entry.name, entry).second);
  return found;
}

class KernelProfileTest : public testing::TestWithParam<TestDevice> {
 protected:
  Timers timers_;
  ExecutorPtr executor_ = make_test_executor(GetParam(), 0, &timers_);
};
INSTANTIATE_TEST_SUITE_P(Executors, KernelProfileTest, every_executor(), executor_name);

TEST_P(KernelProfileTest, CountsCallsAndBytesOfEveryKind) {
  const auto begin = std::chrono::steady_clock::now();
  launch_all(executor_);
  launch_all(executor_);
  const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const auto found = by_name(*executor_);
  const bool gpu = executor_->backend() == Backend::cuda;
  const std::map<std::string, double> bytes{{"double", 16. * size},
                                            {"rows", 16. * size},
                                            {"lanes", 16. * size},
                                            {"sum", 8. * size},
                                            {"largest", 0.},
                                            {"copy to device", (gpu ? 8. : 16.) * size},
                                            {"copy to host", (gpu ? 8. : 16.) * size}};
  double seconds = 0;
  ASSERT_EQ(found.size(), bytes.size());
  for (const auto& [name, each] : bytes) {
    ASSERT_TRUE(found.contains(name)) << name;
    EXPECT_EQ(found.at(name).calls, 2) << name;
    EXPECT_EQ(found.at(name).bytes, 2 * each) << name;
    EXPECT_GT(found.at(name).seconds, 0) << name;
    EXPECT_EQ(found.at(name).scope, Timers::none) << name;
    seconds += found.at(name).seconds;
  }
  EXPECT_LE(seconds, elapsed);
}

TEST_P(KernelProfileTest, CountsForTheScopeOfTheLaunch) {
  Array<double, 1> array(executor_, {size});
  const auto kernel = [&] { launch(*executor_, "double", Range<1>{{0}, {size}}, DoubleBody{array.view()}); };
  {
    const auto solve = timers_.scope("solve");
    kernel();
    {
      const auto smooth = timers_.scope("smooth");
      kernel();
    }
    kernel();
  }
  executor_->synchronize();  // where the lazy device runs all of them
  std::map<std::string, Index> calls;
  for (const KernelProfile::Entry& entry : executor_->profile()->entries())
    calls[timers_.entries().at(entry.scope).path] += entry.calls;
  EXPECT_EQ(calls, (std::map<std::string, Index>{{"solve", 2}, {"solve/smooth", 1}}));
}

TEST_P(KernelProfileTest, HoldsMoreKernelsThanADeviceMayKeepUnderWay) {
  Array<double, 1> array(executor_, {1});
  const int many = executor_->backend() == Backend::emulated ? 50 : 10'000;  // its launches are slow
  for (int i = 0; i < many; ++i) launch(*executor_, {"double", 16}, Range<1>{{0}, {1}}, DoubleBody{array.view()});
  executor_->synchronize();
  EXPECT_EQ(by_name(*executor_).at("double").calls, many);
  EXPECT_EQ(by_name(*executor_).at("double").bytes, 16. * many);
}

TEST_P(KernelProfileTest, PartsCountForThemselves) {
  const Team team(make_test_executors(GetParam(), 2, &timers_), 0, 2, Transfer::staged, &timers_);
  {
    const auto scope = team.scope("work");
    for (int round = 0; round < 50; ++round)
      team.each([&](int part) {
        launch_all(team.executor(part));
        if (part == 1) launch_all(team.executor(part));
      });
  }
  for (int part = 0; part < 2; ++part) {
    const auto found = by_name(*team.executor(part));
    for (const char* name : {"double", "rows", "lanes", "sum", "largest"}) {
      EXPECT_EQ(found.at(name).calls, 50 * (part + 1)) << name;
      EXPECT_EQ(timers_.entries().at(found.at(name).scope).path, "work");
    }
  }
  EXPECT_EQ(timers_.entries().size(), 1u);
  EXPECT_TRUE(timers_.entries()[0].fine);
}

TEST_P(KernelProfileTest, CountsCopiesBetweenNeighborsOnce) {
  const ExecutorPtr neighbor = make_test_executor(GetParam(), 1, &timers_);
  Array<double, 1> from(neighbor, {size}), to(executor_, {size});
  from.assign(std::vector<double>(size, 3.0));
  neighbor->synchronize();
  executor_->copy_peer(to.view().data, *neighbor, from.view().data, size * sizeof(double));
  executor_->synchronize();
  const bool host = executor_->backend() == Backend::omp;  // where the source makes the copy
  const auto found = by_name(host ? *neighbor : *executor_);
  EXPECT_EQ(found.at(host ? "copy to host" : "copy from peer").bytes, 16. * size);
  EXPECT_TRUE(by_name(host ? *executor_ : *neighbor).size() == (host ? 0u : 1u));
}

TEST(KernelProfile, MeasuresTheKernelAndNotTheQueue) {
  for (const char* name : {"omp:2", "emulated:1", "emulated-lazy:1"}) {
    Timers timers;
    const ExecutorPtr executor = make_executor(name, 1, &timers);
    run_kernel(*executor, "sleep", [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); });
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    executor->synchronize();
    const double seconds = by_name(*executor).at("sleep").seconds;
    EXPECT_GE(seconds, 0.02) << name;
    EXPECT_LT(seconds, 0.15) << name;
  }
}

TEST(KernelProfile, IsNotThereUnlessAskedFor) {
  for (const TestDevice device : test_devices()) {
    const Team team(make_test_executors(device, 1), 0, 1);
    EXPECT_EQ(team.executor(0)->profile(), nullptr);
    launch_all(team.executor(0));
    const auto scope = team.scope("nowhere");
  }
}

}  // namespace
}  // namespace halocline
