// What a visit of all parts of a rank costs: rounds of empty work, one after the other and after a pause in which the
// driving threads may have gone to sleep, and beside other work on all cores.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "lib/base/executor.hpp"
#include "mpi/team.hpp"

namespace {

halocline::Team team_of(int parts) {
  return {std::vector<halocline::ExecutorPtr>(static_cast<std::size_t>(parts), halocline::make_omp_executor(1)), 0,
          parts};
}

void empty_round(benchmark::State& state) {
  const halocline::Team team = team_of(static_cast<int>(state.range(0)));
  for (auto _ : state) team.each([](int part) { benchmark::DoNotOptimize(part); });
}
BENCHMARK(empty_round)->Arg(1)->Arg(2)->Arg(4)->Arg(8)->Unit(benchmark::kMicrosecond)->UseRealTime();

// The caller is busy for so many microseconds between rounds; they are not counted.
void empty_round_after_pause(benchmark::State& state) {
  const halocline::Team team = team_of(4);
  const std::chrono::microseconds pause(state.range(0));
  for (auto _ : state) {
    const auto until = std::chrono::steady_clock::now() + pause;
    while (std::chrono::steady_clock::now() < until) {
    }
    const auto start = std::chrono::steady_clock::now();
    team.each([](int part) { benchmark::DoNotOptimize(part); });
    state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
}
BENCHMARK(empty_round_after_pause)->Arg(10)->Arg(40)->Arg(1000)->Unit(benchmark::kMicrosecond)->UseManualTime();

// Twice as many threads as there are cores work on something else, as on a machine that others use too.
void empty_round_in_a_crowd(benchmark::State& state) {
  const halocline::Team team = team_of(2);
  std::atomic<bool> end{false};
  std::vector<std::thread> others(2 * std::max(1U, std::thread::hardware_concurrency()));
  for (std::thread& other : others) {
    other = std::thread([&end] {
      while (!end.load(std::memory_order_relaxed)) {
      }
    });
  }
  for (auto _ : state) team.each([](int part) { benchmark::DoNotOptimize(part); });
  end = true;
  for (std::thread& other : others) other.join();
}
BENCHMARK(empty_round_in_a_crowd)->Unit(benchmark::kMicrosecond)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
