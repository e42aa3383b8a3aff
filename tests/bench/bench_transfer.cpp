// What exchanges between ranks cost, and solves that consist of them, by each way that values may take.
//
//   mpirun -n RANKS bench_transfer DEVICE PARTS TRANSFER [NS [METHOD...]]
// DEVICE of every part, `cuda` for one GPU each in turn; PARTS of a rank; TRANSFER as run.transfer. Without NS: halos
// of rows and exchanges of all with all. METHOD: mg (of problem P2), closed_form, schur (of P1). A line each: best
// time, and for solves a digest of the solution, which is the same in all layouts.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "gpu/devices.hpp"
#include "mpi/halo/halo.hpp"
#include "tests/unit/collocation/multigrid/solve_case.hpp"

namespace {

using namespace halocline;
using namespace halocline::collocation;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

struct Bench {
  const Communicator comm{MPI_COMM_WORLD};
  std::string device, transfer;
  Team team;

  Bench(std::string device, int parts, const std::string& transfer)
      : device(std::move(device)),
        transfer(transfer),
        team(executors(parts), comm.rank() * parts, comm.size() * parts,
             transfer == "ipc" ? Transfer::ipc : Transfer::staged) {}

  std::vector<ExecutorPtr> executors(int parts) const {
    std::vector<ExecutorPtr> all;
    const std::vector<std::string> names =
        devices_of_rank({device}, parts, {comm.node_rank(), comm.node_size()}, cuda_device_count());
    for (const std::string& name : names) all.push_back(make_executor(name, 1));
    return all;
  }
  void synchronize() const {
    for (int p = 0; p < team.parts(); ++p) team.executor(p)->synchronize();
    comm.barrier();
  }
  void print(const std::string& what, double seconds, const std::string& more) const {
    if (comm.rank() != 0) return;
    std::printf("%dx%d %-6s %-28s %10.1f us  %s\n", comm.size(), team.parts(), transfer.c_str(), what.c_str(),
                1e6 * seconds, more.c_str());
    std::fflush(stdout);
  }

  // `links` on so many numbers per part.
  void exchanges(const std::string& what, const Links& links, Index size) {
    std::vector<Array<double, 1>> arrays;
    std::vector<View<double, 1>> views;
    std::vector<View<const double, 1>> owned;
    for (int p = 0; p < team.parts(); ++p) arrays.emplace_back(team.executor(p), std::array<Index, 1>{size});
    for (auto& array : arrays) {
      views.push_back(array.view());
      owned.push_back(std::as_const(array).view());
    }
    Halo<double> halo(comm, team, links);
    constexpr int rounds = 50;
    double best = 1e300;
    for (int pass = 0; pass < 5; ++pass) {
      synchronize();
      const double start = now();
      for (int round = 0; round < rounds; ++round) {
        halo.start(owned);
        halo.finish(views);
      }
      synchronize();
      best = std::min(best, (now() - start) / rounds);
    }
    const double bytes = static_cast<double>(halo.sent().bytes) / (5 * rounds);
    print(what, best, bytes > 0 ? std::to_string(1e-9 * bytes / best) + " GB/s sent by a rank" : "");
  }
  void rows(Index row, Index width) {
    const Index own = 64;
    const std::vector<Index> lines(static_cast<std::size_t>(team.parts()), own);
    exchanges(std::to_string(width) + " rows of " + std::to_string(row),
              line_links(team, lines, row, {width, width, width}), (own + 2 * width) * row);
  }
  // A square of side n in slabs, turned as in closed form.
  void turn(Index n) {
    const int total = team.total_parts();
    const Index rows = n / total;
    Links links(static_cast<std::size_t>(team.parts()));
    for (auto& own : links)
      for (int other = 0; other < total; ++other)
        own.push_back({other,
                       {other * rows, {1, rows, rows}, {0, n, 1}, {}},
                       IndexSet::run(rows * n + rows * rows * other, rows * rows)});
    exchanges("turn a square of " + std::to_string(n), links, 2 * rows * n);
  }

  void solve(const std::string& name, Index ns) {
    const bool mg = name == "mg";
    const MethodEntry& method = mg ? multigrid_method : name == "schur" ? schur_method : closed_form_method;
    const Axis axis = unit(ns);
    const Formulation problem = make_formulation(axis, axis, mg ? p2 : p1, mg ? exact_us : exact_p1);
    SolverOptions options = mg_options();
    options.method = mg ? Method::mg : name == "schur" ? Method::schur : Method::closed_form;
    options.tolerance = mg ? 1e-12 : 1e-9;
    options.max_iterations = 20000;
    Timers timers;
    Log log(false, LogLevel::off);
    Shape shape;
    shape.ranks = comm.size();
    shape.weights.assign(static_cast<std::size_t>(team.total_parts()), 1.0);
    const LineCut cut = method.cut(problem, options, team.total_parts());
    const Context context{comm, team, timers, log, shape, 1, Partition(ns + 1, cut.chunk, shape.weights, cut.least)};
    const auto solver = method.make(context, problem, options);
    double best = 1e300;
    for (int pass = 0; pass < (name == "schur" ? 2 : 4); ++pass) {
      synchronize();
      const double start = now();
      solver->begin();
      while (!solver->iterate(100)) {
      }
      synchronize();
      best = std::min(best, now() - start);
    }
    char more[80];
    std::snprintf(more, sizeof(more), "%d iterations, digest %016llx", solver->report().iterations,
                  static_cast<unsigned long long>(digest(*solver, problem)));
    print(name + " " + std::to_string(ns), best, more);
  }

  // Of the unknowns of all lines, in any layout.
  std::uint64_t digest(Solver& solver, const Formulation& problem) const {
    std::array<Index, 1> sum{0};
    const Index numbers = 4 * (problem.y.elements() + 1);
    for (int p = 0; p < team.parts(); ++p) {
      const auto values = unknowns_on_host(solver, p, team.executor(p), problem);
      const Range<1> lines = solver.lines(p);
      for (Index i = lines.lo[0]; i < lines.hi[0]; ++i) {
        std::uint64_t hash = static_cast<std::uint64_t>(i) + 1;
        for (Index j = 0; j < numbers; ++j) {
          std::uint64_t word = 0;
          std::memcpy(&word, &values[(i - lines.lo[0]) * numbers + j], sizeof(word));
          hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
          hash ^= hash >> 29;
        }
        sum[0] += static_cast<Index>(hash >> 8);
      }
    }
    comm.sum(sum);
    return static_cast<std::uint64_t>(sum[0]);
  }
};

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  if (argc > 3) {
    Bench bench(argv[1], std::atoi(argv[2]), argv[3]);
    for (int a = 5; a < argc; ++a) bench.solve(argv[a], std::atol(argv[4]));
    if (argc == 4) {
      bench.rows(256, 1);
      bench.rows(4096, 4);
      bench.rows(16384, 4);
      bench.turn(1024);
      bench.turn(8192);
    }
  }
  MPI_Finalize();
}
