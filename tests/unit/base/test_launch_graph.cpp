#include "lib/base/graph/launch_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "gpu/launch.hpp"
#include "lib/base/array.hpp"
#include "lib/base/error.hpp"
#include "lib/base/timers.hpp"
#include "tests/unit/executors.hpp"

namespace halocline {
namespace {

constexpr Index size = 1000;

struct TimesAndPlusBody {
  double factor;
  const double* x;
  double* y;
  HALOCLINE_HD void operator()(Index i) const { y[i] = factor * y[i] + x[i]; }
};

struct ValueBody {
  const double* x;
  HALOCLINE_HD double operator()(Index i) const { return x[i]; }
};
struct Larger {
  HALOCLINE_HD double operator()(double a, double b) const { return a < b ? b : a; }
};

class LaunchGraphTest : public OnEveryExecutor {
 protected:
  // y = 2 y + x, then y = 3 y + x, by two launches and a copy between them.
  void change(const Array<double, 1>& x, Array<double, 1>& y, Array<double, 1>& between) const {
    const Range<1> all{{0}, {size}};
    launch(*executor(), "first", all, TimesAndPlusBody{2, x.view().data, y.view().data});
    executor()->copy_async(between.view().data, y.view().data, size * sizeof(double), Queue::compute);
    launch(*executor(), "second", all, TimesAndPlusBody{3, x.view().data, between.view().data});
    executor()->copy_async(y.view().data, between.view().data, size * sizeof(double), Queue::compute);
  }
  Array<double, 1> filled(double value) const {
    return make_array(executor(), std::vector<double>(static_cast<std::size_t>(size), value));
  }
  // How often the work of `runs` runs is called on a device that captures and on one that does not.
  int calls(int runs) const { return executor()->backend() == Backend::omp ? runs : std::min(runs, 2); }
};
INSTANTIATE_TEST_SUITE_P(Executors, LaunchGraphTest, every_executor(), executor_name);

TEST_P(LaunchGraphTest, RepeatsLaunchesAndCopies) {
  const Array<double, 1> x = filled(1);
  Array<double, 1> y = filled(0), between = filled(0);
  LaunchGraph graph("test graph");
  double expected = 0;
  int called = 0;
  for (int run = 1; run <= 5; ++run) {
    graph.run(*executor(), [&] {
      ++called;
      change(x, y, between);
    });
    expected = 3 * (2 * expected + 1) + 1;
    EXPECT_EQ(called, calls(run));
    EXPECT_EQ(y.to_host(), std::vector<double>(static_cast<std::size_t>(size), expected));
  }
}

TEST_P(LaunchGraphTest, TakesOtherMemoryAfterReset) {
  const Array<double, 1> x = filled(1);
  Array<double, 1> y = filled(0), other = filled(5), between = filled(0);
  LaunchGraph graph("test graph");
  for (int run = 0; run < 3; ++run) graph.run(*executor(), [&] { change(x, y, between); });
  graph.reset();
  for (int run = 0; run < 3; ++run) graph.run(*executor(), [&] { change(x, other, between); });
  EXPECT_EQ(y.to_host()[7], 172);
  EXPECT_EQ(other.to_host()[7], 1252);
}

TEST_P(LaunchGraphTest, IsPartOfAnother) {
  const Array<double, 1> x = filled(1);
  Array<double, 1> y = filled(0), z = filled(0), between = filled(0);
  LaunchGraph inner("inner graph"), outer("outer graph");
  for (int run = 0; run < 4; ++run) {
    outer.run(*executor(), [&] {
      change(x, z, between);
      inner.run(*executor(), [&] { change(x, y, between); });
    });
  }
  inner.run(*executor(), [&] { change(x, y, between); });
  EXPECT_EQ(z.to_host()[0], 1036);
  EXPECT_EQ(y.to_host()[0], 6220);
}

// The second run, which captures, ends with an error; the device and the graph go on.
TEST_P(LaunchGraphTest, RefusesWhatItCannotHold) {
  if (executor()->backend() == Backend::omp) return;
  const Array<double, 1> x = filled(1);
  Array<double, 1> y = filled(0), between = filled(0);
  double host = 0;
  const Event before = executor()->record(Queue::compute);
  const std::vector<std::function<void()>> forbidden{
      [&] { executor()->synchronize(); },
      [&] { executor()->wait(before); },
      [&] { executor()->wait(Queue::compute, executor()->record(Queue::transfer)); },
      [&] { Array<double, 1>(executor(), {10}); },
      [&] { executor()->deallocate_pinned(executor()->allocate_pinned(8), 8); },
      [&] { executor()->copy_out(&host, y.view().data, sizeof host); },
      [&] { executor()->copy_in(y.view().data, &host, sizeof host); },
      [&] { executor()->copy_async(y.view().data, x.view().data, 8, Queue::transfer); },
      [&] {
        reduce(*executor(), "largest", Range<1>{{0}, {size}}, 0.0, Larger{}, ValueBody{x.view().data});
      },
  };
  for (std::size_t n = 0; n < forbidden.size(); ++n) {
    LaunchGraph graph("test graph");
    y.assign(std::vector<double>(static_cast<std::size_t>(size), 0));
    bool forbid = false;
    const auto work = [&] {
      change(x, y, between);
      if (forbid) forbidden[n]();
    };
    graph.run(*executor(), work);
    forbid = true;
    EXPECT_THROW(graph.run(*executor(), work), InternalError) << n;
    EXPECT_EQ(y.to_host()[3], 4) << "nothing of a capture is carried out";
    forbid = false;
    for (int run = 0; run < 2; ++run) graph.run(*executor(), work);
    EXPECT_EQ(y.to_host()[3], 172) << n;
  }
}

TEST_P(LaunchGraphTest, RefusesMemoryThatIsGivenBack) {
  if (executor()->backend() == Backend::omp) return;
  const Array<double, 1> x = filled(1);
  Array<double, 1> y = filled(0), between = filled(0), gone = filled(9);
  LaunchGraph graph("test graph");
  graph.run(*executor(), [&] { change(x, y, between); });
  EXPECT_THROW(graph.run(*executor(),
                         [&] {
                           change(gone, y, between);
                           gone = Array<double, 1>();
                         }),
               InternalError);
  for (int run = 0; run < 2; ++run) graph.run(*executor(), [&] { change(x, y, between); });
  EXPECT_EQ(y.to_host()[3], 172);
}

TEST_P(LaunchGraphTest, IsNoneWhileKernelsAreProfiled) {
  Timers timers;
  const ExecutorPtr profiled = make_test_executor(GetParam(), 0, &timers);
  LaunchGraph graph("test graph");
  int called = 0;
  for (int run = 0; run < 4; ++run) graph.run(*profiled, [&] { ++called; });
  EXPECT_EQ(called, 4);
}

}  // namespace
}  // namespace halocline
