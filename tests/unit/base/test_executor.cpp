#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "gpu/launch.hpp"
#include "lib/base/array.hpp"
#include "lib/base/executor.hpp"
#include "tests/unit/executors.hpp"

namespace halocline {
namespace {

std::vector<double> counted(Index size, double start = 0) {
  std::vector<double> values(static_cast<std::size_t>(size));
  std::iota(values.begin(), values.end(), start);
  return values;
}

struct IncrementBody {
  View<double, 1> values;
  HALOCLINE_HD void operator()(Index i) const { values(i) += 1; }
};
void increment(const Executor& executor, View<double, 1> values) {
  launch(executor, "increment", Range<1>{{0}, {values.size()}}, IncrementBody{values});
}

using ExecutorTest = OnEveryExecutor;
INSTANTIATE_TEST_SUITE_P(Executors, ExecutorTest, every_executor(), executor_name);

TEST_P(ExecutorTest, CopiesThereAndBack) {
  for (Index size : {0, 1, 1000, 3'000'001}) {  // the last is copied by several threads
    const std::vector<double> host = counted(size);
    Array<double, 1> array(executor(), {size});
    array.assign(host);
    EXPECT_EQ(array.to_host(), host);
    Array<double, 1> other(executor(), {size});
    other.assign(array);
    EXPECT_EQ(other.to_host(), host);
  }
}

TEST_P(ExecutorTest, ArraysMoveAndKeepShape) {
  Array<double, 3> array(executor(), {2, 3, 4});
  array.assign(counted(24));
  Array<double, 3> moved = std::move(array);
  EXPECT_EQ(moved.view().extent[1], 3);
  EXPECT_EQ(moved.view().stride[0], 12);
  Array<double, 3> assigned;
  assigned = std::move(moved);
  EXPECT_EQ(assigned.to_host(), counted(24));
  EXPECT_THROW(assigned.assign(counted(23)), InternalError);
  Array<double, 3> foreign(make_omp_executor(1), {2, 3, 4});
  EXPECT_THROW(foreign.assign(assigned), InternalError);
}

TEST_P(ExecutorTest, AlignsMemoryAndNeverOverlapsBlocks) {
  std::vector<std::pair<std::uintptr_t, std::size_t>> blocks;
  for (std::size_t bytes : {0ul, 1ul, 63ul, 64ul, 65ul, 4096ul, 5ul << 20, 4ul << 20, 9ul << 20}) {
    blocks.emplace_back(reinterpret_cast<std::uintptr_t>(executor()->allocate(bytes)), bytes);
  }
  for (const auto& [start, bytes] : blocks) {
    EXPECT_NE(start, 0u);
    EXPECT_EQ(start % 64, 0u);
    for (const auto& [other, other_bytes] : blocks) {
      if (other > start) {
        EXPECT_GE(other, start + bytes);
      }
    }
  }
  // Freed in another order, so that neighboring holes must be joined on both sides.
  for (std::size_t i : {1, 3, 2, 0, 8, 6, 7, 4, 5}) {
    executor()->deallocate(reinterpret_cast<void*>(blocks[i].first), blocks[i].second);
  }
  // With all holes joined, one block as large as all of them starts where the first did.
  if (executor()->backend() == Backend::emulated) {
    void* whole = executor()->allocate(20ul << 20);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(whole), blocks[0].first);
    executor()->deallocate(whole, 20ul << 20);
  }
}

TEST_P(ExecutorTest, RefusesMoreMemoryThanTheMachineHas) {
  const std::size_t bytes = std::size_t{1} << 45;
  try {
    executor()->allocate(bytes);
    FAIL() << "no error";
  } catch (const MachineError& error) {
    EXPECT_NE(std::string(error.what()).find(std::to_string(bytes) + " bytes needed"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find(executor()->name()), std::string::npos);
  }
}

TEST_P(ExecutorTest, BlockingCopiesFollowComputeWork) {
  Array<double, 1> array(executor(), {100});
  array.assign(counted(100));
  increment(*executor(), array.view());
  EXPECT_EQ(array.to_host(), counted(100, 1));
}

TEST_P(ExecutorTest, EventsOrderTheTwoQueues) {
  Array<double, 1> array(executor(), {50});
  array.assign(counted(50));
  std::vector<double> host(50);
  increment(*executor(), array.view());
  executor()->wait(Queue::transfer, executor()->record(Queue::compute));
  increment(*executor(), array.view());  // after the event: waiting for the transfer must not run it in lazy mode
  executor()->copy_out_async(host.data(), array.view().data, 50 * sizeof(double), Queue::transfer);
  executor()->wait(executor()->record(Queue::transfer));
  if (executor()->name().starts_with("emulated-lazy")) {
    EXPECT_EQ(host, counted(50, 1));
  }
  executor()->synchronize();
  EXPECT_EQ(array.to_host(), counted(50, 2));
}

// On the host its memory and its profile as well; blocks of one come back to the other.
TEST_P(ExecutorTest, OtherThreadsAreOfTheSameDevice) {
  const Timers timers;
  const ExecutorPtr profiled = make_test_executor(GetParam(), 0, &timers), more = with_threads(profiled, 5);
  EXPECT_EQ(more->backend(), profiled->backend());
  EXPECT_EQ(more->profile(), profiled->profile());
  if (profiled->backend() != Backend::omp) {
    EXPECT_EQ(more, profiled);
    return;
  }
  EXPECT_EQ(more->threads(), 5);
  EXPECT_EQ(with_threads(more, 5), more);
  // The pages of a large block are kept and used again; where in its first page a block begins varies.
  constexpr std::size_t page = std::size_t{2} << 20, bytes = 8 * page - 65536;
  const auto page_of = [](const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer) / page; };
  void* const block = profiled->allocate(bytes);
  profiled->deallocate(block, bytes);
  void* const again = more->allocate(bytes);
  EXPECT_EQ(page_of(again), page_of(block));
  more->deallocate(again, bytes);
}

TEST_P(ExecutorTest, CopiesBetweenDevices) {
  for (TestDevice device : test_devices()) {
    const ExecutorPtr source = make_test_executor(device);
    Array<double, 1> from(source, {1000}), to(executor(), {1000});
    from.assign(counted(1000));
    increment(*source, from.view());
    source->synchronize();
    executor()->copy_peer(to.view().data, *source, from.view().data, 1000 * sizeof(double));
    EXPECT_EQ(to.to_host(), counted(1000, 1));
  }
}

TEST_P(ExecutorTest, DestroyedArraysLetQueuedWorkFinish) {
  Array<double, 1> result(executor(), {10});
  {
    Array<double, 1> temporary(executor(), {10});
    temporary.assign(counted(10));
    increment(*executor(), temporary.view());
    result.assign(temporary);
  }
  const Array<double, 1> next(executor(), {10});  // may take the place of the temporary
  EXPECT_EQ(result.to_host(), counted(10, 1));
}

TEST_P(ExecutorTest, PinnedMemoryIsHostMemory) {
  auto* values = static_cast<double*>(executor()->allocate_pinned(8 * sizeof(double)));
  values[7] = 3;
  EXPECT_EQ(values[7], 3);
  executor()->deallocate_pinned(values, 8 * sizeof(double));
}

TEST_P(ExecutorTest, PassesOnErrorsOfWork) {
  if (executor()->backend() == Backend::cuda) GTEST_SKIP() << "a GPU does no host work";
  const auto failing = [&] {
    executor()->run(Queue::compute, [] { throw NumericalError("breakdown"); });
    executor()->synchronize();
  };
  EXPECT_THROW(failing(), NumericalError);
  Array<double, 1> array(executor(), {3});  // still usable
  array.assign(counted(3));
  EXPECT_EQ(array.to_host(), counted(3));
}

class EmulatedTest : public testing::TestWithParam<bool> {
 protected:
  ExecutorPtr executor = make_emulated_executor(2, GetParam());
};
INSTANTIATE_TEST_SUITE_P(Modes, EmulatedTest, testing::Bool());

TEST_P(EmulatedTest, HostAccessFaults) {
  Array<double, 1> array(executor, {10});
  array.assign(counted(10));
  volatile double* device = array.view().data;
  EXPECT_DEATH(device[3] = 1, "");
  EXPECT_DEATH((void)device[3], "");
  // Closed again after a launch, and after an allocation.
  increment(*executor, array.view());
  executor->synchronize();
  Array<double, 1> another(executor, {10});
  EXPECT_DEATH((void)device[3], "");
}

TEST_P(EmulatedTest, NeighborsMemoryFaults) {
  const ExecutorPtr other = make_emulated_executor(1, false);
  Array<double, 1> array(executor, {10});
  array.assign(counted(10));
  EXPECT_DEATH(increment(*other, array.view()), "");
}

TEST_P(EmulatedTest, UnwrittenMemoryIsNotANumber) {
  Array<double, 1> array(executor, {10});
  for (double value : array.to_host()) EXPECT_TRUE(std::isnan(value));
}

TEST(EmulatedLazy, HoldsWorkUntilTheHostWaits) {
  const ExecutorPtr executor = make_emulated_executor(1, true);
  int runs = 0;
  executor->run(Queue::compute, [&] { ++runs; });
  executor->run(Queue::transfer, [&] { runs += 10; });
  const Event first = executor->record(Queue::compute);
  executor->run(Queue::compute, [&] { runs += 100; });
  EXPECT_EQ(runs, 0);
  executor->wait(first);
  EXPECT_EQ(runs, 1);  // neither later work nor the other queue
  executor->wait(executor->record(Queue::transfer));
  EXPECT_EQ(runs, 11);
  executor->synchronize();
  EXPECT_EQ(runs, 111);
}

TEST(EmulatedLazy, QueuesWithoutEventRunIndependently) {
  const ExecutorPtr executor = make_emulated_executor(1, true);
  Array<double, 1> array(executor, {10});
  array.assign(counted(10));
  std::vector<double> host(10);
  increment(*executor, array.view());
  executor->copy_out_async(host.data(), array.view().data, 10 * sizeof(double), Queue::transfer);  // no event: a bug
  executor->wait(executor->record(Queue::transfer));
  EXPECT_EQ(host, counted(10));  // the data before the launch
  executor->synchronize();
}

TEST(EmulatedLazy, FollowsEventsAcrossQueues) {
  const ExecutorPtr executor = make_emulated_executor(1, true);
  std::string order;
  const auto put = [&](Queue queue, char mark) { executor->run(queue, [&order, mark] { order += mark; }); };
  put(Queue::compute, 'a');
  executor->wait(Queue::transfer, executor->record(Queue::compute));
  put(Queue::compute, 'd');
  put(Queue::transfer, 'b');
  const Event staged = executor->record(Queue::transfer);
  executor->wait(Queue::compute, staged);
  put(Queue::transfer, 'x');
  put(Queue::compute, 'e');
  executor->wait(staged);
  EXPECT_EQ(order, "ab");
  executor->wait(executor->record(Queue::compute));
  EXPECT_EQ(order, "abde");
  executor->synchronize();
  EXPECT_EQ(order, "abdex");
}

}  // namespace
}  // namespace halocline
