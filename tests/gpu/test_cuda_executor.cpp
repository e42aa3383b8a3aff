// What only a GPU can show: order of its queues, sums and reductions in its accumulators, faults in its kernels.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <random>
#include <thread>

#include "gpu/devices.hpp"
#include "gpu/launch.hpp"
#include "lib/base/array.hpp"
#include "lib/base/error.hpp"

namespace halocline {
namespace {

class CudaTest : public testing::TestWithParam<std::string> {
 protected:
  const ExecutorPtr executor = make_executor(GetParam(), 1);
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CudaTest);
std::vector<std::string> present() {
  return cuda_device_count() > 0 ? std::vector<std::string>{"cuda:0"} : std::vector<std::string>{};
}
INSTANTIATE_TEST_SUITE_P(cuda, CudaTest, testing::ValuesIn(present()));

Array<double, 1> placed(const ExecutorPtr& executor, const std::vector<double>& host) {
  Array<double, 1> array(executor, {static_cast<Index>(host.size())});
  array.assign(host);
  return array;
}

// Values whose plain sum depends on the order, from 1e-200 to 1e200.
std::vector<double> wild(std::size_t size) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> mantissa(-1, 1), exponent(-200, 200);
  std::vector<double> values(size);
  for (double& value : values) value = mantissa(random) * std::pow(10.0, exponent(random));
  return values;
}

struct SumBody {
  const double* x;
  template <class Sink>
  HALOCLINE_HD void operator()(Index i, Sink& sink) const {
    sink.add(0, x[i]);
    sink.add(1, x[i] * 0.5);
  }
};

TEST_P(CudaTest, SumsAreExactAndGoOnFromWhatIsThere) {
  const std::vector<double> host = wild(100'003);
  const auto x = placed(executor, host);
  std::array<ExactSum, 2> expected, got;
  expected[0].add(17);
  got[0].add(17);
  for (int round = 0; round < 3; ++round) {
    for (double value : host) {
      expected[0].add(value);
      expected[1].add(value * 0.5);
    }
    sum_chunks<2>(*executor, "test sum", x.size(), SumBody{x.view().data}, std::span(got));
  }
  for (int k = 0; k < 2; ++k) EXPECT_EQ(got[k].value(), expected[k].value());
  sum_chunks<2>(*executor, "test sum", 0, SumBody{nullptr}, std::span(got));
  EXPECT_EQ(got[0].value(), expected[0].value());
}

// Neighbors add to different sums.
struct AlternatingBody {
  const double* x;
  template <class Sink>
  HALOCLINE_HD void operator()(Index i, Sink& sink) const {
    sink.add(static_cast<int>(i % 2), x[i]);
  }
};

// Values of like size, which all lanes of a warp add to the same words, but where one is zero or a warp is not full.
TEST_P(CudaTest, SumsOfLikeSizesAreExact) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> mantissa(1, 2);
  for (const std::size_t size : {1UL, 31UL, 32UL, 64UL, 77UL, 5000UL, 200'000UL}) {
    for (const bool zeros : {false, true}) {
      std::vector<double> host(size);
      for (std::size_t i = 0; i < size; ++i)
        host[i] = zeros && i % 41 == 3 ? 0 : (random() % 3 == 0 ? -1 : 1) * mantissa(random);
      const auto x = placed(executor, host);
      std::array<ExactSum, 2> both, expected_both, alternating, expected_alternating;
      for (std::size_t i = 0; i < size; ++i) {
        expected_both[0].add(host[i]);
        expected_both[1].add(host[i] * 0.5);
        expected_alternating[i % 2].add(host[i]);
      }
      sum_chunks<2>(*executor, "test sum", x.size(), SumBody{x.view().data}, std::span(both));
      sum_chunks<2>(*executor, "test sum", x.size(), AlternatingBody{x.view().data}, std::span(alternating));
      for (int k = 0; k < 2; ++k) {
        EXPECT_EQ(both[k].value(), expected_both[k].value()) << size;
        EXPECT_EQ(alternating[k].value(), expected_alternating[k].value()) << size;
      }
    }
  }
}

TEST_P(CudaTest, SumsKnowInfinitiesAndNaN) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const auto& [terms, result] :
       {std::pair<std::vector<double>, double>{{1, infinity, 2}, infinity}, {{-infinity, 5}, -infinity}}) {
    std::array<ExactSum, 2> got;
    const auto x = placed(executor, terms);
    sum_chunks<2>(*executor, "test sum", x.size(), SumBody{x.view().data}, std::span(got));
    EXPECT_EQ(got[0].value(), result);
  }
  std::array<ExactSum, 2> got;
  const auto x = placed(executor, {infinity, -infinity});
  sum_chunks<2>(*executor, "test sum", x.size(), SumBody{x.view().data}, std::span(got));
  EXPECT_TRUE(std::isnan(got[0].value()));
}

struct LaneSumBody {
  const double* x;
  bool joined;
  template <class P, class Sink>
  HALOCLINE_HD void operator()(Index group, Index /*piece*/, Index lane, Sink& sink) const {
    const P value = load<P>(x + group * lanes + lane);
    if (joined) {
      sink.add_joined(0, value);
    } else {
      sink.add(0, value);
    }
  }
};

// Lanes are joined by rounded additions in a fixed order: the same bits as on the host.
TEST_P(CudaTest, LanesAreJoinedInTheOrderOfTheHost) {
  const ExecutorPtr reference = make_omp_executor(1);
  for (const Index groups : {1, 3, 4, 1000, 4099}) {
    const std::vector<double> host = wild(static_cast<std::size_t>(groups * lanes));
    const auto there = placed(executor, host), here = placed(reference, host);
    for (const bool joined : {false, true}) {
      std::array<ExactSum, 1> expected, got;
      sum_lanes<1>(*executor, "test lanes", groups, 1, LaneSumBody{there.view().data, joined}, std::span(got));
      sum_lanes<1>(*reference, "test lanes", groups, 1, LaneSumBody{here.view().data, joined}, std::span(expected));
      EXPECT_EQ(got[0].value(), expected[0].value()) << groups;
    }
  }
}

struct Largest {
  HALOCLINE_HD double operator()(double a, double b) const { return a > b ? a : b; }
};
struct PeakBody {  // largest at one place of the box
  Index i0, j0, k0;
  HALOCLINE_HD double operator()(Index i, Index j, Index k) const {
    const double a = static_cast<double>(i - i0), b = static_cast<double>(j - j0), c = static_cast<double>(k - k0);
    return 100 - a * a - b * b - c * c;
  }
  HALOCLINE_HD double operator()(Index i, Index j) const { return (*this)(i, j, k0); }
  HALOCLINE_HD double operator()(Index i) const { return (*this)(i, j0, k0); }
};

TEST_P(CudaTest, ReductionsSeeEveryPlaceOfABox) {
  const PeakBody body{700, 5, 9};
  EXPECT_EQ(reduce(*executor, "peak", Range<3>{{600, 0, 3}, {701, 6, 10}}, -1e300, Largest{}, body), 100);
  EXPECT_EQ(reduce(*executor, "peak", Range<3>{{701, 6, 10}, {900, 40, 50}}, -1e300, Largest{}, body), 97);
  EXPECT_EQ(reduce(*executor, "peak", Range<2>{{0, 0}, {701, 6}}, -1e300, Largest{}, body), 100);
  EXPECT_EQ(reduce(*executor, "peak", Range<1>{{-5}, {3'000'000}}, -1e300, Largest{}, body), 100);
  EXPECT_EQ(reduce(*executor, "peak", Range<1>{{701}, {702}}, 250.0, Largest{}, body), 250);
  EXPECT_EQ(reduce(*executor, "peak", Range<1>{{3}, {3}}, 7.0, Largest{}, body), 7);
}

// Takes long: every value is added to `steps` times.
struct SlowBody {
  double* x;
  int steps;
  double increment;
  HALOCLINE_HD void operator()(Index i) const {
    for (int s = 0; s < steps; ++s) x[i] = x[i] + increment;
  }
};
constexpr Index size = 1 << 20;
void add(const Executor& device, View<double, 1> x, int steps, double increment) {
  launch(device, "slow add", Range<1>{{0}, {x.size()}}, SlowBody{x.data, steps, increment});
}

TEST_P(CudaTest, TransfersDoNotOvertakeTheWorkOfAnEarlierOwner) {
  const std::vector<double> host(size, 3.0);
  auto* pinned = static_cast<double*>(executor->allocate_pinned(size * sizeof(double)));
  std::copy(host.begin(), host.end(), pinned);
  {
    auto old = placed(executor, host);
    add(*executor, old.view(), 200'000, 1);  // some 10 ms, longer than the transfer
  }
  Array<double, 1> fresh(executor, {size});  // most likely the same memory
  executor->copy_in_async(fresh.view().data, pinned, size * sizeof(double), Queue::transfer);
  executor->wait(executor->record(Queue::transfer));
  executor->synchronize();
  EXPECT_EQ(fresh.to_host(), host);
  executor->deallocate_pinned(pinned, size * sizeof(double));
}

TEST_P(CudaTest, MemoryIsNotReusedUnderATransfer) {
  auto* pinned = static_cast<double*>(executor->allocate_pinned(size * sizeof(double)));
  {
    auto old = placed(executor, std::vector<double>(size, 3.0));
    executor->copy_out_async(pinned, old.view().data, size * sizeof(double), Queue::transfer);
  }
  Array<double, 1> fresh(executor, {size});
  add(*executor, fresh.view(), 1, 1e6);
  executor->synchronize();
  EXPECT_EQ(std::count(pinned, pinned + size, 3.0), size);
  executor->deallocate_pinned(pinned, size * sizeof(double));
}

TEST_P(CudaTest, PeerCopiesComeBeforeLaterWorkOfEitherDevice) {
  const ExecutorPtr other = make_executor(GetParam(), 1);
  auto from = placed(other, std::vector<double>(size, 3.0));
  auto to = placed(executor, std::vector<double>(size, 0.0));
  executor->copy_peer(to.view().data, *other, from.view().data, size * sizeof(double));
  add(*other, from.view(), 3, 1000);
  add(*executor, to.view(), 1, 1);
  EXPECT_EQ(to.to_host(), std::vector<double>(size, 4.0));
  EXPECT_EQ(from.to_host(), std::vector<double>(size, 3003.0));
}

TEST_P(CudaTest, ThreadsDriveTheirOwnExecutors) {
  std::vector<std::thread> threads;
  std::vector<double> sums(4);
  for (std::size_t t = 0; t < sums.size(); ++t) {
    threads.emplace_back([&, t] {
      const ExecutorPtr own = make_executor(GetParam(), 1);
      auto x = placed(own, std::vector<double>(10'000, static_cast<double>(t)));
      for (int round = 0; round < 20; ++round) {
        add(*own, x.view(), 1, 1);
        std::array<ExactSum, 2> got;
        sum_chunks<2>(*own, "test sum", x.size(), SumBody{x.view().data}, std::span(got));
        sums[t] = got[0].value();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t t = 0; t < sums.size(); ++t) EXPECT_EQ(sums[t], 10'000.0 * (static_cast<double>(t) + 20));
}

TEST_P(CudaTest, PlainMemoryLiesOutsideThePool) {
  const std::vector<double> host(1000, 3.0);
  std::vector<double> back(1000);
  void* plain = allocate_plain(*executor, 1000 * sizeof(double));
  executor->copy_in(plain, host.data(), 1000 * sizeof(double));
  executor->copy_out(back.data(), plain, 1000 * sizeof(double));
  EXPECT_EQ(back, host);
  const std::size_t free = gpu_state(*executor).free_bytes;
  deallocate_plain(*executor, plain, 1000 * sizeof(double));
  EXPECT_GE(gpu_state(*executor).free_bytes, free);
  EXPECT_FALSE(gpu_state(*executor).bus.empty());
}

TEST_P(CudaTest, PlainMemoryRefusesMoreMemoryThanThereIs) {
  EXPECT_THROW(allocate_plain(*executor, std::size_t{1} << 50), MachineError);
}

TEST_P(CudaTest, EventsOutliveTheirExecutor) {
  Event event;
  {
    const ExecutorPtr brief = make_executor(GetParam(), 1);
    event = brief->record(Queue::compute);
  }
  executor->wait(event);
  executor->wait(Queue::transfer, event);
  executor->synchronize();
}

TEST_P(CudaTest, RefusesHostWork) {
  EXPECT_THROW(executor->run(Queue::compute, [] {}), InternalError);
}

// A fault ruins the whole process, so another one commits it.
void commit_fault(const Executor& executor) {
  auto* nowhere = reinterpret_cast<double*>(std::size_t{64});
  try {
    launch(executor, "innocent", Range<1>{{0}, {1}}, PeakBody{});
    executor.synchronize();
    launch(executor, "stray write", Range<1>{{0}, {1}}, SlowBody{nowhere, 1, 1});
    launch(executor, "bystander", Range<1>{{0}, {1}}, PeakBody{});
    executor.synchronize();
  } catch (const MachineError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    std::abort();
  }
}

TEST_P(CudaTest, FaultsNameTheKernelsSinceTheLastWait) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(commit_fault(*executor),
               "cuda:0: .* failed: .*illegal memory access.*kernels since the last wait: stray write");
}

}  // namespace
}  // namespace halocline
