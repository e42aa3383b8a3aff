// Algebraic multigrid for sparse matrices: set-up by phase, cycle by kernel, whole solves, beside the bytes that they
// must move.
//
//   [mpirun ...] bench_sparse [DEVICE [PROBLEM [METHOD]]]     omp:2 p7:50 cg by default; see named_problems.hpp
// Times are the best of three passes, of the slowest rank. Then all is run again with a profile, whose events take time
// of their own: phases and kernels of rank 0 in the last pass.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "gpu/devices.hpp"
#include "lib/amg/amg.hpp"
#include "lib/base/profile/kernel_profile.hpp"
#include "lib/krylov/krylov.hpp"
#include "tests/bench/triad.hpp"
#include "tests/unit/sparse/named_problems.hpp"

namespace {

using namespace halocline;
using namespace halocline::sparse;

constexpr int passes = 3;

// The slowest rank's seconds for `work`.
template <class Work>
double seconds_of(const Communicator& comm, const Team& team, const Work& work) {
  comm.barrier();
  const auto start = std::chrono::steady_clock::now();
  work();
  for (int p = 0; p < team.parts(); ++p) team.executor(p)->synchronize();
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  comm.max(std::span<double>(&seconds, 1));
  return seconds;
}

class Bench {
 public:
  Bench(const Communicator& comm, const std::string& device, const std::string& problem, const std::string& method,
        bool profiled)
      : comm_(comm),
        team_({make_executor(device, 1, profiled ? &timers_ : nullptr)}, comm.rank(), comm.size(), Transfer::automatic,
              profiled ? &timers_ : nullptr),
        method_(method),
        problem_(problem),
        profiled_(profiled) {}

  void run() {
    const auto source = named_problem(problem_);
    const std::vector<double> weights(static_cast<std::size_t>(team_.total_parts()), 1);
    rows_ = std::make_shared<RowSpace>(comm_, team_, Partition(source->rows(), 1024, weights, 0));
    double fill_seconds = seconds_of(comm_, team_, [&] { system_.emplace(distribute(*source, rows_)); });
    say("{\"problem\": \"%s\", \"profiled\": %d, \"unknowns\": %lld, \"entries\": %lld, \"rows_s\": %.3f}\n",
        problem_.c_str(), profiled_ ? 1 : 0, static_cast<long long>(source->rows()),
        static_cast<long long>(system_->matrix.entries()), fill_seconds);
    double format = 1e300, set_up = 1e300;
    for (int pass = 0; pass < passes; ++pass) {
      amg_.reset();
      matrix_.reset();
      format = std::min(format, seconds_of(comm_, team_, [&] { matrix_.emplace(system_->matrix); }));
      mark();
      set_up = std::min(set_up, seconds_of(comm_, team_, [&] {
                          amg_.emplace(system_->matrix, *matrix_, amg::AmgOptions{}, weights);
                        }));
    }
    say("{\"format_s\": %.3f, \"set_up_s\": %.3f}\n", format, set_up);
    if (!profiled_) say_levels();
    say_phases();
    measure_refresh(weights);
    if (problem_.starts_with("elastic")) return;
    for (const double tolerance : {1e-5, 1e-8}) solve(tolerance);
  }

 private:
  template <class... Values>
  void say(const char* text, const Values&... values) const {
    if (comm_.rank() == 0) std::printf(text, values...);
    std::fflush(stdout);
  }

  void say_levels() const {
    for (const amg::LevelFacts& l : amg_->facts().levels)
      say("{\"rows\": %lld, \"entries\": %lld, \"weights\": %lld, \"rounds\": %d, \"guards\": [%lld, %lld], "
          "\"smallest_weight\": %.3f, \"mean_weight\": %.3f, \"fill\": %.3f, \"parts\": %d, \"replicated\": %d}\n",
          static_cast<long long>(l.rows), static_cast<long long>(l.entries), static_cast<long long>(l.weights),
          l.rounds, static_cast<long long>(l.guards.without_itself), static_cast<long long>(l.guards.direct),
          l.smallest_weight, l.mean_weight, l.fill, l.parts, l.replicated ? 1 : 0);
    say("{\"operator_complexity\": %.4f, \"grid_complexity\": %.4f, \"levels\": %d, \"ending\": \"%s\"}\n",
        amg_->facts().operator_complexity(), amg_->facts().grid_complexity(),
        static_cast<int>(amg_->facts().levels.size()), to_text(amg_->facts().ending).c_str());
  }

  // New values of the same pattern; those of before, which cost as much.
  void measure_refresh(const std::vector<double>& weights) {
    amg::AmgOptions options;
    options.hierarchy.coarsening.keep = true;
    amg::Amg kept(system_->matrix, *matrix_, options, weights);
    double best = 1e300;
    for (int pass = 0; pass < passes; ++pass) {
      mark();
      best = std::min(best, seconds_of(comm_, team_, [&] { kept.refresh(system_->matrix); }));
    }
    say("{\"refresh_s\": %.3f}\n", best);
    say_phases();
  }

  void solve(double tolerance) {
    KrylovOptions options;
    options.tolerance = tolerance;
    Vector<double> b(matrix_->space()), x(matrix_->space());
    matrix_->enter(system_->rhs, b);
    double best = 1e300;
    int iterations = 0;
    for (int pass = 0; pass < passes; ++pass) {
      fill(x, 0);
      mark();
      const auto solver = make_krylov<double>(method_, matrix_->space(), options);
      best = std::min(best, seconds_of(comm_, team_, [&] {
                        solver->begin(*matrix_, &*amg_, b, x);
                        while (!solver->iterate(100)) {
                        }
                      }));
      iterations = solver->report().converged() ? solver->report().iterations : -1;
    }
    say("{\"tolerance\": %.0e, \"iterations\": %d, \"solve_s\": %.4f}\n", tolerance, iterations, best);
    if (tolerance < 1e-6) say_phases();
  }

  // Phases and kernels since the last mark.
  void mark() {
    if (!profiled_) return;
    scopes_before_ = timers_.entries();
    for (int p = 0; p < team_.parts(); ++p) kernels_before_ = team_.executor(p)->profile()->entries();
  }
  void say_phases() {
    if (!profiled_) return;
    const auto& scopes = timers_.entries();
    for (std::size_t s = 0; s < scopes.size(); ++s) {
      const double seconds = scopes[s].seconds - (s < scopes_before_.size() ? scopes_before_[s].seconds : 0);
      if (seconds > 0) say("{\"scope\": \"%s\", \"s\": %.4f}\n", scopes[s].path.c_str(), seconds);
    }
    for (const KernelProfile::Entry& now : team_.executor(0)->profile()->entries()) {
      KernelProfile::Entry since = now;
      for (const KernelProfile::Entry& before : kernels_before_)
        if (before.scope == now.scope && before.name == now.name) {
          since.calls -= before.calls;
          since.seconds -= before.seconds;
          since.bytes -= before.bytes;
        }
      if (since.seconds < 1e-4) continue;
      say("{\"scope\": \"%s\", \"kernel\": \"%s\", \"calls\": %lld, \"s\": %.4f, \"GB_per_s\": %.2f}\n",
          now.scope == Timers::none ? "" : scopes[now.scope].path.c_str(), now.name.c_str(),
          static_cast<long long>(since.calls), since.seconds, 1e-9 * since.bytes / since.seconds);
    }
  }

  const Communicator& comm_;
  Timers timers_;
  Team team_;
  std::string method_, problem_;
  bool profiled_;
  RowSpacePtr rows_;
  std::optional<Distributed> system_;
  std::optional<DistMatrix> matrix_;
  std::optional<amg::Amg> amg_;
  std::vector<Timers::Entry> scopes_before_;
  std::vector<KernelProfile::Entry> kernels_before_;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    const Communicator comm(MPI_COMM_WORLD);
    const auto argument = [&](int n, const char* otherwise) { return std::string(argc > n ? argv[n] : otherwise); };
    for (const bool profiled : {false, true})
      Bench(comm, argument(1, "omp:2"), argument(2, "p7:50"), argument(3, "cg"), profiled).run();
    if (argc > 4 && comm.rank() == 0)
      std::printf("{\"triad_GB_per_s\": %.2f}\n", 1e-9 * triad_rate(std::stoi(argument(4, "2"))));
  }
  MPI_Finalize();
  return 0;
}
