// Ensembles on one GPU: time of the test problems at the sizes of the ODE ensemble paper, with what the compiler says
// about the kernels.
//
//   bench_ode_gpu [small] [NAME]      small: a hundredth of the phases, to see that it works; NAME: this problem only
// Goals on an H200: Lorenz 2.7 ms for 768 000 systems (floor 2.03) and 0.15 ms for 768, bubble 12 s for 46 080 systems
// with 1024 + 64 phases, valve 2 s for 30 720 with 1024 + 32. Times: everything after the first copies, and the
// launches alone. Stiff problems also on all processors of the host, with the largest difference of the results.
#include <mpi.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <numeric>

#include "gpu/cuda_executor.hpp"
#include "lib/base/error.hpp"
#include "lib/problems/ode_ensemble/device/device_ensemble.hpp"
#include "lib/problems/ode_ensemble/host/compiled.hpp"
#include "tests/bench/grid.hpp"
#include "tests/unit/ode_ensemble/ode_ensemble_run.hpp"
#include "tests/unit/ode_ensemble/ode_models.hpp"

namespace {

using namespace halocline;
using namespace halocline::ode_ensemble;

struct Problem {
  std::string name;
  OdeSystem system;
  Method method;
  std::vector<double> swept, initial;
  void (*settings)(OdeArrays&, long long share);
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The same on the host, in chunks of 256 systems; returns the seconds.
double on_host(const LoweredModel& lowered, Method method, OdeArrays& arrays) {
  const Communicator comm(MPI_COMM_SELF);
  Log log(false, LogLevel::off);
  const HostModel host = make_host_model(comm, log, {}, lowered, method);
  std::vector<int> list(static_cast<std::size_t>(arrays.systems));
  std::iota(list.begin(), list.end(), 0);
  const Ensemble all = arrays.view();
  const auto start = std::chrono::steady_clock::now();
#pragma omp parallel for schedule(dynamic)
  for (long long begin = 0; begin < all.systems; begin += 256) {
    Ensemble some = all;
    some.list = list.data() + begin;
    some.count = std::min(256LL, all.systems - begin);
    host.backend->advance(some);
  }
  const double seconds = seconds_since(start);
  std::printf("%-10s %s\n", "", host.backend->name().c_str());
  return seconds;
}

void compare_with_host(const LoweredModel& lowered, Method method, const OdeArrays& found, OdeArrays host,
                       double best) {
  const double seconds = on_host(lowered, method, host);
  double worst = 0;
  for (int row = 0; row < found.states; ++row)
    for (long long i = 0; i < found.systems; ++i)
      worst = std::max(worst, std::abs(found.value(row, i) / host.value(row, i) - 1));
  std::printf("%-10s host %10.3f ms, %5.2f times as long; largest relative difference %.1e\n", "", 1e3 * seconds,
              seconds / best, worst);
}

void measure(const ExecutorPtr& executor, const Problem& problem, long long share) {
  const Communicator comm(MPI_COMM_SELF);
  LoweringOptions options;
  options.linearized = has_jacobian(problem.method);
  const LoweredModel lowered = lower(problem.system, options);
  const auto compiling = std::chrono::steady_clock::now();
  const DeviceModel model(comm, {executor.get()}, lowered, problem.method);
  const double compile_time = seconds_since(compiling);
  const auto systems = static_cast<long long>(problem.swept.size());
  std::vector<double> initial;
  for (const double one : problem.initial) initial.insert(initial.end(), problem.swept.size(), one);
  double best = 1e300, launched = 1e300;
  OdeArrays arrays(systems, state_rows(lowered), problem.swept, initial, problem.system.states);
  problem.settings(arrays, share);
  const OdeArrays fresh = arrays;
  const int rounds = problem.method == Method::rk4 || options.linearized ? 10 : 1;
  int launches = 0;
  for (int round = 0; round < rounds; ++round) {
    arrays = fresh;
    DeviceEnsemble ensemble(executor, arrays.view(), arrays.rows, problem.system.parameters);
    executor->synchronize();
    launches = 0;
    const auto start = std::chrono::steady_clock::now();
    do {
      ++launches;
    } while (ensemble.advance(model) > 0);
    best = std::min(best, seconds_since(start));
    launched = std::min(launched, ensemble.launch_seconds());
    ensemble.download();
  }
  long long trials = 0, failed = 0;
  for (long long i = 0; i < systems; ++i) {
    trials += arrays.counter(Counter::accepted, i) + arrays.counter(Counter::rejected, i) +
              arrays.counter(Counter::retaken, i);
    failed += (arrays.counter(Counter::status, i) & Status::failed) != 0 ? 1 : 0;
  }
  std::printf(
      "%-10s %7lld systems %10.3f ms, launches %10.3f ms (%d), %9.3g steps/s  registers %d spills %d B  compiled in "
      "%.2f s"
      "  failed %lld\n",
      problem.name.c_str(), systems, 1e3 * best, 1e3 * launched, launches, static_cast<double>(trials) / best,
      model.use().registers, model.use().spill_bytes, compile_time, failed);
  if (options.linearized) compare_with_host(lowered, problem.method, arrays, fresh, best);
}

void stiff_settings(OdeArrays& a, double end, double atol) {
  for (int i = 0; i < a.states; ++i) a.ensemble.rtol[i] = 1e-8, a.ensemble.atol[i] = atol;
  a.ensemble.atol[1] = 1e-4 * atol;
  a.ensemble.step = 1e-6;
  a.ensemble.max_step = 1e300;
  a.length[0] = end;
}

std::vector<Problem> problems() {
  OdeTexts lorenz = lorenz_texts(), bubble = bubble_texts(), valve = valve_texts();
  const auto ten = [](OdeArrays& a, long long) { a.length[0] = 10; };
  std::vector<Problem> list;
  list.push_back({"lorenz", lorenz.make(), Method::rk4, grid(0, 21, 768000, false), {10, 10, 10}, ten});
  list.push_back({"lorenz", lorenz.make(), Method::rk4, grid(0, 21, 768, false), {10, 10, 10}, ten});
  list.push_back({"bubble",
                  bubble_system(bubble),
                  Method::rkck45,
                  grid(2e4, 1e6, 46080, true),
                  {1, 0},
                  [](OdeArrays& a, long long share) {
                    a.ensemble.restart_time = 1;
                    a.ensemble.transient = 1024 / share;
                    a.ensemble.record = std::max(1LL, 64 / share);
                    a.ensemble.all_phases_records = 1;
                    a.ensemble.all_phases_record[0].source = 2;
                  }});
  list.push_back({"valve",
                  valve_system(valve),
                  Method::rkck45,
                  grid(0.2, 10, 30720, false),
                  {0.2, 0, 0},
                  [](OdeArrays& a, long long share) {
                    a.ensemble.phase_by_event = 1;
                    a.ensemble.transient = 1024 / share;
                    a.ensemble.record = std::max(1LL, 32 / share);
                    a.ensemble.each_phase_records = 2;
                    a.ensemble.each_phase_record[0].source = 3;
                    a.ensemble.each_phase_record[1].source = 4;
                    a.ensemble.steady = 1e-9;
                    a.length[0] = 50;
                  }});
  OdeTexts robertson = robertson_texts(), hires = hires_texts();
  const std::vector<double> rates = grid(0.004, 0.4, 100000, true);
  for (const Method method : {Method::rodas5p, Method::ros23})
    list.push_back({"robertson", robertson.make(), method, rates, {1, 0, 0}, [](OdeArrays& a, long long) {
                      stiff_settings(a, 1e11, 1e-14);
                    }});
  list.push_back({"hires",
                  hires.make(),
                  Method::rodas5p,
                  grid(28, 2800, 100000, true),
                  {1, 0, 0, 0, 0, 0, 0, 0.0057},
                  [](OdeArrays& a, long long) { stiff_settings(a, 321.8122, 1e-12); }});
  return list;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int code = 0;
  try {
    const ExecutorPtr executor = make_cuda_executor(0);
    const bool small = argc > 1 && std::strcmp(argv[1], "small") == 0;
    const std::string only = argc > (small ? 2 : 1) ? argv[argc - 1] : "";
    for (const Problem& problem : problems())
      if (only.empty() || problem.name == only) measure(executor, problem, small ? 100 : 1);
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    code = static_cast<int>(error.code());
  }
  MPI_Finalize();
  return code;
}
