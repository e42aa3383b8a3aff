// Rates of multigrid for collocation: set-up, operator, sweep, cycle and whole solve, beside the bytes of the models in
// docs/performance/collocation.md.
//
//   bench_collocation_mg [DEVICE [NS [PROBLEM [PARTS]]]]     omp:2 1024 P2 1 by default; problems P1, P2; any device,
// or several with commas between, for the parts in turn: cuda:0,cuda:1
// A line per step: milliseconds, best of several passes, and GB/s by the model. The estimate of the error is the same
// to the last digit on any number of parts.
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "gpu/devices.hpp"
#include "lib/problems/collocation/discretization/nodal_operator.hpp"
#include "lib/problems/collocation/methods.hpp"
#include "lib/problems/collocation/multigrid/multigrid.hpp"
#include "lib/problems/collocation/nodal_solver.hpp"
#include "tests/unit/collocation/multigrid/solve_case.hpp"

namespace {

using namespace halocline;
using namespace halocline::collocation;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Best time of a pass of `work`, in seconds.
template <class Work>
double best_time(const Team& team, const Work& work) {
  double best = 1e300, total = 0;
  for (int pass = 0; pass < 50 && (pass < 3 || total < 1.5); ++pass) {
    const auto start = std::chrono::steady_clock::now();
    work();
    for (int p = 0; p < team.parts(); ++p) team.executor(p)->synchronize();
    const double seconds = seconds_since(start);
    best = std::min(best, seconds);
    total += seconds;
  }
  return best;
}

void print(const char* step, double seconds, double bytes) {
  std::printf("%-28s %10.3f ms", step, 1e3 * seconds);
  if (bytes > 0) std::printf(" %9.2f GB/s", 1e-9 * bytes / seconds);
  std::printf("\n");
  std::fflush(stdout);
}

// Sweeps on the finest level by themselves.
template <class T>
void time_sweeps(const Communicator& comm, const Team& team, const Formulation& problem,
                 const std::vector<NodalBlock>& blocks, int threads, double vector) {
  const NodalSpace space(comm, team, blocks, false);
  std::vector<Equations<T>> equations;
  LevelMesh<T> mesh{&problem.x, &problem.y, &space, {}};
  for (int p = 0; p < team.parts(); ++p) {
    equations.emplace_back(problem, problem.x, problem.y, blocks[p], team.executor(p), threads);
    mesh.views.push_back(equations.back().view());
  }
  const auto smoother = make_node_smoother(mesh);
  Vector<T> f(space.vectors()), u(space.vectors());
  const double coefficients = problem.constants ? 0 : 10;  // and inverse node blocks
  const double bytes = (3 + coefficients) * vector * sizeof(T) / 8;
  const auto time_of = [&](SweepStart start) { return best_time(team, [&] { smoother->sweep(f, u, start); }); };
  print(sizeof(T) == 4 ? "sweep fp32" : "sweep fp64", time_of(SweepStart::own_lines), bytes);
  print(sizeof(T) == 4 ? "first sweep fp32" : "first sweep fp64", time_of(SweepStart::zero), bytes);
}

// Whole solves: the first set-up of the solver, then three solves.
void time_solves(const Context& context, const Formulation& problem) {
  auto start = std::chrono::steady_clock::now();
  const auto solver = multigrid_method.make(context, problem, mg_options());
  print("set-up, all", seconds_since(start), 0);
  for (int pass = 0; pass < 3; ++pass) {
    start = std::chrono::steady_clock::now();
    solver->begin();
    while (!solver->iterate(100)) {
    }
    for (int p = 0; p < context.team.parts(); ++p) context.team.executor(p)->synchronize();
    const double seconds = seconds_since(start);
    const SolveReport& report = solver->report();
    print("solve", seconds, solver->bytes_per_iteration() * report.iterations);
    std::printf("  %d iterations, estimate of the error %.17g\n", report.iterations, report.residual);
  }
}

void run(const std::string& device, Index ns, const std::string& name, int parts) {
  const Communicator comm(MPI_COMM_SELF);
  std::vector<ExecutorPtr> executors;
  std::vector<std::string> devices(1);
  for (const char c : device)
    if (c == ',') {
      devices.emplace_back();
    } else {
      devices.back() += c;
    }
  for (int p = 0; p < parts; ++p) executors.push_back(make_executor(devices[p % devices.size()], 1));
  const Team team(executors, 0, parts);
  int threads = 0;
  for (const auto& executor : executors) threads += executor->threads();
  if (executors[0]->backend() == Backend::cuda) threads = 8;
  const Axis axis = unit(ns);
  const Formulation problem =
      name == "P1" ? make_formulation(axis, axis, p1, exact_p1) : make_formulation(axis, axis, p2, exact_us);
  Timers timers;
  Log log(false, LogLevel::off);
  Shape shape;
  shape.weights.assign(static_cast<std::size_t>(parts), 1.0);
  const Index replicated = executors[0]->backend() == Backend::cuda ? replicated_on_gpus : replicated_below;
  const MultigridPlan plan = plan_multigrid(problem, SmootherChoice::node, parts, replicated);
  const Context context{comm, team, timers, log, shape, 1, Partition(ns + 1, plan.line_chunk(), shape.weights, 2)};
  const double vector = 8 * 4.0 * static_cast<double>(ns * ns);
  std::printf("%s, ns = %ld, %s, %d parts; a vector has %.1f MB\n", name.c_str(), static_cast<long>(ns), device.c_str(),
              parts, 1e-6 * vector);
  const double coefficients = problem.constants ? 0 : 6;
  {
    const auto blocks = nodal_blocks(context, problem);
    const auto space = nodal_vector_space(comm, team, blocks);
    std::vector<Equations<double>> equations;
    std::vector<const Equations<double>*> pointers;
    equations.reserve(blocks.size());
    auto start = std::chrono::steady_clock::now();
    for (int p = 0; p < parts; ++p) {
      equations.emplace_back(problem, problem.x, problem.y, blocks[p], team.executor(p), threads);
      pointers.push_back(&equations.back());
    }
    print("set-up: coefficients", seconds_since(start), 0);
    start = std::chrono::steady_clock::now();
    const auto cycle = make_multigrid<float>(space, problem, plan, context.partition, pointers, threads);
    print("set-up: levels fp32", seconds_since(start), 0);
    const NodalOperator op(space, pointers, problem.x, problem.y);
    Vector<double> x(space), y(space);
    start = std::chrono::steady_clock::now();
    load_right_hand_side(context, problem, blocks, x);
    print("set-up: right-hand side", seconds_since(start), 0);
    print("operator", best_time(team, [&] { op.apply(x, y); }), (2 + coefficients) * vector);
    print("cycle fp32", best_time(team, [&] { cycle->apply(x, y); }), cycle->bytes_per_cycle());
    print("norm", best_time(team, [&] { norm(x); }), vector);
    print("dots", best_time(team, [&] { dots(x, y); }), 2 * vector);
    print("axpy", best_time(team, [&] { axpy(1e-9, x, y); }), 3 * vector);
    time_sweeps<float>(comm, team, problem, blocks, threads, vector);
  }
  time_solves(context, problem);
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  run(argc > 1 ? argv[1] : "omp:2", argc > 2 ? std::atol(argv[2]) : 1024, argc > 3 ? argv[3] : "P2",
      argc > 4 ? std::atoi(argv[4]) : 1);
  MPI_Finalize();
}
