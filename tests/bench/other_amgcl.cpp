// AMGCL on the threads of OpenMP: smoothed aggregation and Ruge-Stueben coarsening, smoothed by SPAI-0, in CG.
#define AMGCL_NO_BOOST
#include <amgcl/adapter/crs_tuple.hpp>
#include <amgcl/amg.hpp>
#include <amgcl/backend/builtin.hpp>
#include <amgcl/coarsening/ruge_stuben.hpp>
#include <amgcl/coarsening/smoothed_aggregation.hpp>
#include <amgcl/relaxation/spai0.hpp>
#include <amgcl/solver/cg.hpp>

#include "tests/bench/other_solvers.hpp"

namespace halocline {
namespace {

using Backend = amgcl::backend::builtin<double>;

template <template <class> class Coarsening>
void run(const char* name, const PlainSystem& system, std::span<const double> tolerances, const Timed& timed,
         OtherTimes& best) {
  best.setting = name;
  best.solve.resize(tolerances.size(), 1e300);
  best.iterations.resize(tolerances.size());
  const std::size_t rows = system.rhs.size();
  const auto matrix = std::make_shared<amgcl::backend::crs<double>>(std::tie(rows, system.ptr, system.col, system.val));
  using Multigrid = amgcl::amg<Backend, Coarsening, amgcl::relaxation::spai0>;
  std::unique_ptr<Multigrid> amg;
  best.set_up = std::min(best.set_up, timed([&] { amg = std::make_unique<Multigrid>(matrix); }));
  for (std::size_t t = 0; t < tolerances.size(); ++t) {
    typename amgcl::solver::cg<Backend>::params options;
    options.tol = tolerances[t];
    options.maxiter = 500;
    const amgcl::solver::cg<Backend> cg(rows, options);
    const amgcl::backend::numa_vector<double> f(system.rhs);
    amgcl::backend::numa_vector<double> u(rows);
    double error = 0;
    best.solve[t] =
        std::min(best.solve[t], timed([&] { std::tie(best.iterations[t], error) = cg(*matrix, *amg, f, u); }));
    if (!(error <= tolerances[t])) best.iterations[t] = -1;
  }
}

}  // namespace

void run_amgcl(const PlainSystem& system, std::span<const double> tolerances, const Timed& timed,
               std::vector<OtherTimes>& times) {
  times.resize(2);
  run<amgcl::coarsening::smoothed_aggregation>("AMGCL aggregation, SPAI-0", system, tolerances, timed, times[0]);
  run<amgcl::coarsening::ruge_stuben>("AMGCL Ruge-Stueben, SPAI-0", system, tolerances, timed, times[1]);
}

}  // namespace halocline
