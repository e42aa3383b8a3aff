// Rate of the Schur-BiCGSTAB iteration beside the bandwidth of the device's memory, measured in the same run.
//
//   bench_collocation [--benchmark_filter=...]        OMP_NUM_THREADS sets the threads of the host
// Arguments: ns, and the number of parts on the device; with one part on a GPU once with the scalars of the iteration
// on the host and once on the device. Times are those of one iteration among many. Counters: matrix-vector products per
// second, the bytes per second of the model (13 vectors of 4 ns^2 doubles per iteration,
// docs/performance/collocation.md), the measured bandwidth (a STREAM-like triad on the host, a copy on a GPU), and
// `of_bandwidth`, the first over the second.
#include <benchmark/benchmark.h>
#include <mpi.h>
#include <omp.h>

#include <chrono>

#include "gpu/devices.hpp"
#include "lib/krylov/krylov.hpp"
#include "lib/problems/collocation/schur/schur.hpp"
#include "tests/bench/triad.hpp"

namespace {

using namespace halocline;
using namespace halocline::collocation;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Bytes read and written per second by copies of 2 GiB inside the device's memory, best of several passes.
double copy_rate(const ExecutorPtr& device) {
  const Index n = Index{1} << 28;
  Array<double, 1> from(device, {n}), to(device, {n});
  const auto bytes = static_cast<std::size_t>(n) * sizeof(double);
  double best = 0;
  for (int pass = 0; pass < 5; ++pass) {
    device->synchronize();
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 10; ++i) device->copy_async(to.view().data, from.view().data, bytes, Queue::compute);
    device->synchronize();
    best = std::max(best, 20.0 * static_cast<double>(bytes) / seconds_since(start));
  }
  return best;
}

double bandwidth(const std::string& device) {
  static const double host = triad_rate(omp_get_max_threads());
  if (device == "omp") return host;
  static const double gpu = copy_rate(make_executor(device, 1));
  return gpu;
}

// The lines of a square mesh in `parts` blocks, with a right-hand side that no symmetry makes easy.
struct Problem {
  Problem(Index ns, int parts, const std::string& device, Scalars scalars) {
    std::vector<ExecutorPtr> executors;
    const int threads = std::max(1, omp_get_max_threads() / parts);
    for (int p = 0; p < parts; ++p) executors.push_back(make_executor(device, threads));
    team = std::make_unique<Team>(executors, 0, parts);
    std::vector<double> nodes;
    for (Index i = 0; i <= ns; ++i) nodes.push_back(static_cast<double>(i) / static_cast<double>(ns));
    const Partition partition(ns + 1, 2, std::vector<double>(static_cast<std::size_t>(parts), 1.0), 2);
    std::vector<LineBlock> blocks;
    for (int p = 0; p < parts; ++p) blocks.push_back({partition.block(p).lo[0], partition.block(p).hi[0], ns, 2 * ns});
    schur = std::make_unique<SchurOperator>(comm, *team, blocks, ConstantEquation{1, 1, 0, -1},
                                            1.0 / static_cast<double>(ns), Axis(nodes));
    std::vector<PartRightHandSide> b;
    for (int p = 0; p < parts; ++p) b.push_back(right_hand_side(schur->block(p)));
    rhs = std::make_unique<Vector<double>>(schur->space());
    x = std::make_unique<Vector<double>>(schur->space());
    schur->reduce(b, *rhs);
    solver = make_bicgstab<double>(schur->space(), {.tolerance = 1e-12, .max_iterations = 1000000, .scalars = scalars});
    begin();
  }
  void begin() {
    fill(*x, 0);
    solver->begin(*schur, nullptr, *rhs, *x);
    solver->iterate(5);
  }
  // Seconds of one iteration, as they follow each other in a solve.
  double time_iteration() {
    if (solver->report().finished()) begin();
    const int before = solver->report().iterations;
    const auto start = std::chrono::steady_clock::now();
    solver->iterate(50);
    return seconds_since(start) / (solver->report().iterations - before);
  }
  static PartRightHandSide right_hand_side(const LineBlock& block) {
    PartRightHandSide b;
    b.red.assign(static_cast<std::size_t>((block.groups() + 1) * block.group_size()), 0.0);
    b.black.assign(static_cast<std::size_t>(block.groups() * block.group_size()), 0.0);
    for (Index pair = 0; block.first_line + 2 * pair + 1 < block.end_line; ++pair)
      for (Index k = 0; k < 2 * block.rows; ++k)
        b.black[block.offset(pair) + k * lanes] =
            static_cast<double>(((block.first_line / 2 + pair) * 31 + k * 17) % 101) - 50;
    return b;
  }

  Communicator comm{MPI_COMM_SELF};
  std::unique_ptr<Team> team;
  std::unique_ptr<SchurOperator> schur;
  std::unique_ptr<Vector<double>> rhs, x;
  std::unique_ptr<KrylovSolver<double>> solver;
};

void schur_iteration(benchmark::State& state, const std::string& device, Scalars scalars) {
  const Index ns = state.range(0);
  Problem problem(ns, static_cast<int>(state.range(1)), device, scalars);
  for (auto _ : state) state.SetIterationTime(problem.time_iteration());
  const double bytes = 13 * 4.0 * static_cast<double>(ns * ns) * 8;
  const auto rate = benchmark::Counter::kIsIterationInvariantRate;
  state.counters["products"] = benchmark::Counter(2, rate);
  state.counters["model_bytes"] = benchmark::Counter(bytes, rate);
  state.counters["bandwidth"] = bandwidth(device);
  state.counters["of_bandwidth"] = benchmark::Counter(bytes / bandwidth(device), rate);
}

void add(const std::string& device, const std::vector<Index>& sizes, const std::vector<Index>& parts,
         Scalars scalars = Scalars::automatic) {
  const std::string place = scalars == Scalars::on_host ? "/scalars_on_host" : "";
  auto* bench = benchmark::RegisterBenchmark(
      ("schur_iteration/" + device + place).c_str(),
      [device, scalars](benchmark::State& state) { schur_iteration(state, device, scalars); });
  bench->ArgsProduct({sizes, parts})->UseManualTime()->Unit(benchmark::kMicrosecond);
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  benchmark::Initialize(&argc, argv);
  add("omp", {256, 512, 1024, 2048}, {1});
  if (cuda_device_count() > 0) {
    add("cuda:0", {256, 512, 1024, 2048, 4096}, {1, 2, 4});
    add("cuda:0", {256, 512, 1024, 2048, 4096}, {1}, Scalars::on_host);
  }
  benchmark::RunSpecifiedBenchmarks();
  MPI_Finalize();
}
