// Algebraic multigrid beside hypre and AMGCL, where these are found: set-up and CG on the same matrix, in one process.
//
//   [mpirun -n R] compare_sparse [PROBLEM [THREADS [PASSES]]]    p7:50 1 3 by default; see named_problems.hpp
// AMGCL runs on one rank alone, by threads; hypre, which its packages build without threads, where every rank has one.
// Libraries take turns in every pass, and the least times count, of the slowest rank.
#include <mpi.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "gpu/devices.hpp"
#include "lib/amg/amg.hpp"
#include "lib/krylov/krylov.hpp"
#include "tests/bench/other_solvers.hpp"
#include "tests/unit/sparse/named_problems.hpp"

namespace {

using namespace halocline;
using namespace halocline::sparse;

constexpr double tolerances[] = {1e-5, 1e-8};

PlainSystem plain(const Distributed& system) {
  PlainSystem made;
  const DistCrs& a = system.matrix;
  const CrsView<double> rows = a.view(0);
  const Range<1> own = a.rows().own(0);
  const Ghosts& ghosts = a.ghosts(0);
  made.first = own.lo[0];
  made.ptr.assign(rows.ptr.data, rows.ptr.data + rows.rows() + 1);
  made.val.assign(rows.val.data, rows.val.data + rows.entries());
  for (Index e = 0; e < rows.entries(); ++e) {
    const Index n = rows.col(e) - ghosts.below;
    const bool mine = n >= 0 && n < own.size();
    made.col.push_back(mine ? own.lo[0] + n
                            : ghosts.rows[static_cast<std::size_t>(n < 0 ? rows.col(e) : rows.col(e) - own.size())]);
  }
  made.rhs = system.rhs[0].to_host();
  return made;
}

class Ours {
 public:
  Ours(const Distributed& system, const Team& team)
      : system_(system), weights_(static_cast<std::size_t>(team.total_parts()), 1) {}

  void run(const Timed& timed, OtherTimes& best) {
    best.setting = "halocline";
    best.solve.resize(std::size(tolerances), 1e300);
    best.iterations.resize(std::size(tolerances));
    std::unique_ptr<DistMatrix> matrix;
    std::unique_ptr<amg::Amg> multigrid;
    best.set_up = std::min(best.set_up, timed([&] {
                             matrix = std::make_unique<DistMatrix>(system_.matrix);
                             multigrid =
                                 std::make_unique<amg::Amg>(system_.matrix, *matrix, amg::AmgOptions{}, weights_);
                           }));
    Vector<double> b(matrix->space()), x(matrix->space());
    matrix->enter(system_.rhs, b);
    for (std::size_t t = 0; t < std::size(tolerances); ++t) {
      fill(x, 0);
      KrylovOptions options;
      options.tolerance = tolerances[t];
      const auto solver = make_krylov<double>("cg", matrix->space(), options);
      best.solve[t] = std::min(best.solve[t], timed([&] {
                                 solver->begin(*matrix, multigrid.get(), b, x);
                                 while (!solver->iterate(100)) {
                                 }
                               }));
      best.iterations[t] = solver->report().converged() ? solver->report().iterations : -1;
    }
  }

 private:
  const Distributed& system_;
  std::vector<double> weights_;
};

void say(const OtherTimes& times, const OtherTimes& ours) {
  std::printf("{\"code\": \"%s\", \"set_up_s\": %.3f", times.setting.c_str(), times.set_up);
  for (std::size_t t = 0; t < std::size(tolerances); ++t) {
    const double all = times.set_up + times.solve[t];
    std::printf(", \"%.0e\": {\"iterations\": %d, \"solve_s\": %.3f, \"all_s\": %.3f, \"ours_over_all\": %.2f}",
                tolerances[t], times.iterations[t], times.solve[t], all, (ours.set_up + ours.solve[t]) / all);
  }
  std::printf("}\n");
}

void compare(const Communicator& comm, const std::string& problem, int threads, int passes) {
  const Team team({make_omp_executor(threads)}, comm.rank(), comm.size(), Transfer::automatic, nullptr);
  omp_set_num_threads(threads);
  const auto source = named_problem(problem);
  const std::vector<double> weights(static_cast<std::size_t>(team.total_parts()), 1);
  const auto rows = std::make_shared<RowSpace>(comm, team, Partition(source->rows(), 1024, weights, 0));
  const Distributed system = distribute(*source, rows);
  const PlainSystem given = plain(system);
  const Timed timed = [&](const std::function<void()>& work) {
    comm.barrier();
    const auto start = std::chrono::steady_clock::now();
    work();
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    comm.max(std::span<double>(&seconds, 1));
    return seconds;
  };
  OtherTimes ours;
  std::vector<OtherTimes> hypre, amgcl;
  for (int pass = 0; pass < passes; ++pass) {
    Ours(system, team).run(timed, ours);
#if HALOCLINE_HYPRE
    if (threads == 1) run_hypre(MPI_COMM_WORLD, given, tolerances, timed, hypre);
#endif
#if HALOCLINE_AMGCL
    if (comm.size() == 1) run_amgcl(given, tolerances, timed, amgcl);
#endif
  }
  if (comm.rank() != 0) return;
  std::printf("{\"problem\": \"%s\", \"unknowns\": %lld, \"ranks\": %d, \"threads\": %d}\n", problem.c_str(),
              static_cast<long long>(source->rows()), comm.size(), threads);
  for (const auto& times : {std::vector<OtherTimes>{ours}, hypre, amgcl})
    for (const OtherTimes& one : times) say(one, ours);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    const Communicator comm(MPI_COMM_WORLD);
    const auto number = [&](int n, int otherwise) { return argc > n ? std::stoi(argv[n]) : otherwise; };
    compare(comm, argc > 1 ? argv[1] : "p7:50", number(2, 1), number(3, 3));
  }
  MPI_Finalize();
  return 0;
}
