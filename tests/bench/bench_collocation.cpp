// Rate of the Schur-BiCGSTAB iteration beside a STREAM-like triad measured in the same run.
//
//   bench_collocation [--benchmark_filter=...]        OMP_NUM_THREADS sets the threads
// Counters: matrix-vector products per second, the bytes per second of the model (13 vectors of 4 ns^2 doubles per
// iteration, docs/performance/collocation.md), and that rate over the triad's.
#include <benchmark/benchmark.h>
#include <mpi.h>
#include <omp.h>

#include <chrono>

#include "lib/krylov/krylov.hpp"
#include "lib/problems/collocation/schur.hpp"

namespace {

using namespace halocline;
using namespace halocline::collocation;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Bytes per second of a[i] = b[i] + s c[i], best of several passes; 24 bytes per element. Arrays of 1 GiB each, at
// least four times any last-level cache.
double triad_rate() {
  static const double rate = [] {
    const Index n = Index{1} << 27;
    const ExecutorPtr host = make_omp_executor(omp_get_max_threads());
    Array<double, 1> a(host, {n}), b(host, {n}), c(host, {n});
    double *pa = a.view().data, *pb = b.view().data, *pc = c.view().data;
#pragma omp parallel for
    for (Index i = 0; i < n; ++i) pa[i] = 0, pb[i] = 1, pc[i] = 2;
    double best = 0;
    for (int pass = 0; pass < 5; ++pass) {
      const auto start = std::chrono::steady_clock::now();
#pragma omp parallel for
      for (Index i = 0; i < n; ++i) pa[i] = pb[i] + 3.0 * pc[i];
      best = std::max(best, 24.0 * static_cast<double>(n) / seconds_since(start));
    }
    return best;
  }();
  return rate;
}

void schur_iteration(benchmark::State& state) {
  const Index ns = state.range(0);
  const Communicator comm(MPI_COMM_SELF);
  const Team team({make_omp_executor(omp_get_max_threads())}, 0, 1);
  std::vector<double> nodes;
  for (Index i = 0; i <= ns; ++i) nodes.push_back(static_cast<double>(i) / static_cast<double>(ns));
  const Axis axis(nodes);
  SchurOperator schur(comm, team, {{0, ns + 1, ns, 2 * ns}}, {1, 1, 0, -1}, 1.0 / static_cast<double>(ns), axis);
  PartRightHandSide b;
  const LineBlock& block = schur.block(0);
  b.red.assign(static_cast<std::size_t>((block.groups() + 1) * block.group_size()), 0.0);
  b.black.assign(static_cast<std::size_t>(block.groups() * block.group_size()), 0.0);
  for (Index pair = 0; 2 * pair + 1 < ns; ++pair)
    for (Index k = 0; k < 4 * ns; ++k)
      b.black[block.offset(pair) + k * lanes] = static_cast<double>((pair * 31 + k * 17) % 101) - 50;
  Vector rhs(schur.space()), x(schur.space());
  schur.reduce({b}, rhs);
  const auto solver = make_bicgstab(schur.space(), {1e-300, 1000000});
  solver->begin(schur, nullptr, rhs, x);
  solver->iterate(2);
  for (auto _ : state) solver->iterate(1);
  const double vector_bytes = 4.0 * static_cast<double>(ns * ns) * 8;
  state.counters["products"] = benchmark::Counter(2, benchmark::Counter::kIsIterationInvariantRate);
  const double bytes = 13 * vector_bytes;
  state.counters["model_bytes"] = benchmark::Counter(bytes, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["triad_bytes"] = triad_rate();
  state.counters["of_triad"] = benchmark::Counter(bytes / triad_rate(), benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(schur_iteration)->Arg(256)->Arg(512)->Arg(1024)->Arg(2048)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  MPI_Finalize();
}
