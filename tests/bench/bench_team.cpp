// What a visit of all parts of a rank costs: rounds of empty work, one after the other and after a pause in which the
// driving threads may have gone to sleep.
#include <benchmark/benchmark.h>

#include <chrono>
#include <thread>

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

}  // namespace

BENCHMARK_MAIN();
