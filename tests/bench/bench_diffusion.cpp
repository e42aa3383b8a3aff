// Rate of explicit steps on the host beside a STREAM-like triad measured in the same run.
//
//   bench_diffusion --benchmark_enable_random_interleaving=true --benchmark_repetitions=5 [--benchmark_filter=...]
//
// step/<mask>/<cells per side>/<steps per sweep, 0: as the program chooses>/<threads>, and _fp32, _base (registers of
// the processor that the program is built for). Counters: cells per second, bytes to and from memory per cell and step
// by the model (8 read and 8 written, the written line read first unless stores go past the caches, once per sweep),
// and that traffic, or 16 bytes per cell and step, over the triad's (24 bytes per element).
#include <benchmark/benchmark.h>
#include <omp.h>

#include <chrono>
#include <string>
#include <vector>

#include "lib/base/array.hpp"
#include "lib/problems/diffusion/host/blocked.hpp"
#include "tests/bench/triad.hpp"

namespace {

using namespace halocline;
using namespace halocline::diffusion;

// A square or cube between walls with fixed values in x and no flux elsewhere, which keep records.
template <class T>
class Part {
 public:
  Part(MaskKind kind, int dimensions, Index n, const ExecutorPtr& executor)
      : memory_{Array<T, 1>(executor, {size(dimensions, n)}), Array<T, 1>(executor, {size(dimensions, n)})} {
    block.dimensions = dimensions;
    for (int axis = 0; axis < dimensions; ++axis) block.extent[axis] = n;
    block.pitch = pitch(n);
    block.plane = block.pitch * n;
    block.c = memory_[0].view().data;
    block.next = memory_[1].view().data;
    mask.kind = kind;
    const int reach = kind == MaskKind::cross9 ? 2 : 1;
    for (int axis = 0; axis < 3; ++axis) mask.radius[axis] = axis < dimensions ? reach : 0;
    for (T& k : mask.k) k = T(0.02);
    weights_.assign(dimensions == 3 ? 27 : static_cast<std::size_t>((2 * reach + 1) * (2 * reach + 1)), T(0.02));
    mask.weights = weights_.data();
    const auto places = static_cast<std::size_t>((dimensions == 3 ? n + 2 * reach : 1) * (n + 2 * reach));
    for (auto* ones : {&one_, &minus_}) ones->assign(places * static_cast<std::size_t>(reach), T(1));
    for (T& value : minus_) value = -1;
    for (int axis = 0; axis < dimensions; ++axis)
      for (int side = 0; side < 2; ++side) {
        WallRule<T>& wall = block.walls[axis][side];
        wall.slow = n + 2 * reach;
        wall.ring = static_cast<Index>(places);
        const Index origin = (dimensions == 3 ? reach * wall.slow : 0) + reach;
        wall.alpha = (axis == 0 ? minus_ : one_).data() + origin;
        wall.beta = one_.data() + origin;
        uptake_.emplace_back(one_.size()), uptake_.emplace_back(one_.size());
        wall.uptake = uptake_[uptake_.size() - 2].data() + origin;
        wall.carry = uptake_.back().data() + origin;
      }
    const int threads = executor->threads();
#pragma omp parallel for num_threads(threads)
    for (Index i = 0; i < size(dimensions, n); ++i) block.c[i] = T(0.001) * static_cast<T>(i % 1013), block.next[i] = 0;
  }
  ConvolveBlock<T> block;
  ConvolveMask<T> mask;

 private:
  static Index pitch(Index n) {
    const Index line = line_cells<T>, p = (n + line - 1) / line * line;
    return p * static_cast<Index>(sizeof(T)) % 4096 == 0 ? p + line : p;
  }
  static Index size(int dimensions, Index n) { return pitch(n) * (dimensions == 3 ? n * n : n); }
  Array<T, 1> memory_[2];
  std::vector<T> weights_, one_, minus_;
  std::vector<std::vector<double>> uptake_;
};

template <class T>
void step(benchmark::State& state, MaskKind kind, int dimensions, RowLanes lanes) {
  const Index n = state.range(0);
  const auto threads = static_cast<int>(state.range(2));
  if (lanes == RowLanes::wide && !have_wide_rows()) lanes = RowLanes::base;
  const ExecutorPtr executor = make_omp_executor(threads);
  Part<T> part(kind, dimensions, n, executor);
  SweepShape shape;
  shape.steps = static_cast<int>(state.range(1));
  shape.dimensions = dimensions;
  for (int axis = 0; axis < 3; ++axis) shape.extent[axis] = part.block.extent[axis];
  shape.radius = part.mask.radius[0];
  shape.kind = kind;
  shape.value_bytes = sizeof(T);
  const Blocking blocking = choose_blocking(shape, read_caches());
  const auto sweep = make_blocked_sweep<T>(shape, *executor, blocking, lanes);
  for (auto _ : state) {
    sweep->run(*executor, part.block, part.mask, blocking.steps, {0, n});
    std::swap(part.block.c, part.block.next);
  }
  const double cells = static_cast<double>(part.block.extent[0] * part.block.extent[1] * part.block.extent[2]),
               bytes = (blocking.past_caches ? 2.0 : 3.0) * sizeof(T) / blocking.steps, triad = triad_rate(threads);
  const auto rate = [&](double value) {
    return benchmark::Counter(value * cells * blocking.steps, benchmark::Counter::kIsIterationInvariantRate);
  };
  state.counters["cells"] = rate(1);
  state.counters["bytes_per_cell"] = bytes;
  state.counters["of_triad"] = rate(bytes / triad);
  state.counters["of_triad_16"] = rate(16 / triad);
  state.counters["steps"] = blocking.steps;
  state.counters["width"] = static_cast<double>(blocking.width);
}

void add(const std::string& name, MaskKind kind, int dimensions, std::vector<Index> sizes) {
  const auto with = [&](const std::string& full, auto function) {
    auto* b = benchmark::RegisterBenchmark(full.c_str(), function);
    for (const Index n : sizes)
      for (const int steps : {1, 0})
        for (const int threads : {1, 2}) b->Args({n, steps, threads});
    b->UseRealTime()->Unit(benchmark::kMillisecond);
  };
  with("step/" + name, [=](benchmark::State& s) { step<double>(s, kind, dimensions, RowLanes::wide); });
  with("step_base/" + name, [=](benchmark::State& s) { step<double>(s, kind, dimensions, RowLanes::base); });
  with("step_fp32/" + name, [=](benchmark::State& s) { step<float>(s, kind, dimensions, RowLanes::wide); });
}

}  // namespace

int main(int argc, char** argv) {
  add("5pt", MaskKind::star5, 2, {1024, 4096});
  add("9pt", MaskKind::box9, 2, {1024, 4096});
  add("cross4", MaskKind::cross9, 2, {4096});
  add("7pt", MaskKind::star7, 3, {256});
  add("27pt", MaskKind::box27, 3, {256});
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
