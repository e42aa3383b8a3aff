// Rates of the solvers by whole lines beside the bandwidth of memory, measured in the same run: an iteration of method
// schur with general coefficients, an outer step of schur-mixed with ten inner iterations, and a sweep of smoother alt.
//
//   bench_collocation_lines [--benchmark_filter=...]        OMP_NUM_THREADS sets the threads of the host
// Argument: ns. Counters: `model`, bytes per second by the models of block_schur_solver.cpp, refinement.cpp and, for a
// sweep, 33 vectors of T (docs/performance/collocation.md); `of_triad`, the same over a STREAM-like triad.
#include <benchmark/benchmark.h>
#include <mpi.h>
#include <omp.h>

#include <chrono>

#include "lib/expression/scope.hpp"
#include "lib/problems/collocation/methods.hpp"
#include "lib/problems/collocation/multigrid/smoother.hpp"
#include "tests/bench/triad.hpp"

namespace {

using namespace halocline;
using namespace halocline::collocation;

// P2 of the specification on ns x ns elements.
Formulation variable_problem(Index ns) {
  CollocationOptions options;
  BlockOptions& block = options.block;
  const auto formula = [](const char* text) { return Formula{text, {"bench", 1, 1}}; };
  block.equation.a = formula("2+sin(pi*x)*cos(pi*y)");
  block.equation.b = formula("0.4*cos(x-y)");
  block.equation.c = formula("1.5+0.5*cos(x*y)");
  block.equation.d = formula("5*cos(y)");
  block.equation.e = formula("-3*x");
  block.equation.eta = formula("-(1+x^2+y^2)");
  block.equation.f = formula("manufactured");
  block.mesh.x.to = block.mesh.y.to = 1;
  block.mesh.x.elements = block.mesh.y.elements = ns;
  block.sides.sides[4].given = true;
  options.verify.exact = formula("sin(2*x+1)*cos(3*y) + exp(x*y/2)");
  return formulate(options);
}

void report(benchmark::State& state, double bytes) {
  const auto rate = benchmark::Counter::kIsIterationInvariantRate;
  state.counters["model"] = benchmark::Counter(bytes, rate);
  state.counters["of_triad"] = benchmark::Counter(bytes / triad_rate(omp_get_max_threads()), rate);
}

template <class Make>
void iterate(benchmark::State& state, const Make& make, Precision precision) {
  const Formulation problem = variable_problem(state.range(0));
  const Communicator comm(MPI_COMM_SELF);
  const Team team({make_omp_executor(omp_get_max_threads())}, 0, 1);
  Timers timers;
  Log log(false, LogLevel::off);
  SolverOptions options;
  options.tolerance = 1e-300;
  options.precision = precision;
  options.inner_max_iterations = 10;
  options.max_iterations = 1000000;
  const Partition pairs(problem.x.elements() + 1, 2, Shape{}.weights, 2);
  const auto solver = make(Context{comm, team, timers, log, Shape{}, 1, pairs}, problem, options);
  solver->begin();
  for (auto _ : state) solver->iterate(1);
  report(state, solver->bytes_per_iteration());
}

template <class T>
void sweep(benchmark::State& state, Smoothing smoothing) {
  const Formulation problem = variable_problem(state.range(0));
  const Communicator comm(MPI_COMM_SELF);
  const Team team({make_omp_executor(omp_get_max_threads())}, 0, 1);
  const NodalBlock block{0, problem.x.elements() + 1, problem.x.elements(), problem.y.elements()};
  const NodalSpace space(comm, team, {block}, false);
  LevelMesh<T> mesh{&problem.x, &problem.y, &space, {}};
  const Equations<T> equations(problem, problem.x, problem.y, block, team.executor(0), omp_get_max_threads());
  mesh.views.push_back(equations.view());
  const auto smoother = make_line_smoother(mesh, smoothing);
  Vector<T> f(space.vectors()), u(space.vectors());
  for (auto _ : state) smoother->sweep(f, u, SweepStart::own_lines);
  // Vertical: half the lines twice, f, u, r (written and read), six coefficients and 32 factors per four unknowns, u
  // again; horizontal: the residual of all lines twice.
  const double vertical = 20, horizontal = 29;
  const double vectors =
      (smoothing != Smoothing::hline ? vertical : 0) + (smoothing != Smoothing::vline ? horizontal : 0);
  report(state, vectors * sizeof(T) * static_cast<double>(problem.x.unknowns() * problem.y.unknowns()));
}

// Coefficients sampled, and factors of lines in both directions.
void set_up(benchmark::State& state) {
  const Formulation problem = variable_problem(state.range(0));
  const Communicator comm(MPI_COMM_SELF);
  const Team team({make_omp_executor(omp_get_max_threads())}, 0, 1);
  const NodalBlock block{0, problem.x.elements() + 1, problem.x.elements(), problem.y.elements()};
  const NodalSpace space(comm, team, {block}, false);
  for (auto _ : state) {
    LevelMesh<float> mesh{&problem.x, &problem.y, &space, {}};
    const Equations<float> equations(problem, problem.x, problem.y, block, team.executor(0), omp_get_max_threads());
    mesh.views.push_back(equations.view());
    benchmark::DoNotOptimize(make_line_smoother(mesh, Smoothing::alt));
  }
}

template <class Run>
void add(const char* name, const Run& run) {
  benchmark::RegisterBenchmark(name, run)->Arg(256)->Arg(1024)->Arg(2048)->UseRealTime()->Unit(benchmark::kMillisecond);
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  benchmark::Initialize(&argc, argv);
  add("schur_iteration", [](benchmark::State& s) { iterate(s, block_schur_method.make, Precision::fp64); });
  add("refinement_step_fp32", [](benchmark::State& s) { iterate(s, refined_method.make, Precision::fp32); });
  add("refinement_step_fp64", [](benchmark::State& s) { iterate(s, refined_method.make, Precision::fp64); });
  add("vline_sweep_fp32", [](benchmark::State& s) { sweep<float>(s, Smoothing::vline); });
  add("hline_sweep_fp32", [](benchmark::State& s) { sweep<float>(s, Smoothing::hline); });
  add("alt_sweep_fp32", [](benchmark::State& s) { sweep<float>(s, Smoothing::alt); });
  add("alt_set_up_fp32", set_up);
  benchmark::RunSpecifiedBenchmarks();
  MPI_Finalize();
}
