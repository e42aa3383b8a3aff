// Choosing the method and the preconditioner of a system.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "lib/krylov/krylov.hpp"
#include "lib/krylov/null_space.hpp"
#include "lib/linalg/sparse/dist_matrix.hpp"
#include "lib/problems/sparse/options.hpp"
#include "lib/problems/sparse/system.hpp"

namespace halocline::sparse {

// |x.Ay - y.Ax| / (|x| |Ay|) of two vectors of random numbers: rounding where A is symmetric. Collective.
double asymmetry(const RowSpace& rows, const DistMatrix& matrix);
// Up to this a matrix counts as symmetric.
constexpr double largest_asymmetry = 1e-10;

struct ChosenMethod {
  Method method = Method::cg;
  std::string reason;  // for the log
};
// Throws DeckError where the method asked for cannot solve the system: cg with a matrix that is not symmetric.
ChosenMethod choose_method(const BlockOptions& options, const RowFindings& findings, double asymmetry);

KrylovOptions krylov_options(const SolverOptions& options);
MatrixFormat storage_of(const StorageOptions& options);

struct MadePreconditioner {
  std::unique_ptr<Operator<double>> applied;  // null for none
  amg::Amg* multigrid = nullptr;              // the same, where it is that
};
// `matrix` outlives it. Takes the components of the system. `weights`: of all parts. `null_space`: null where there is
// none. `refreshable`: multigrid keeps what new values need. Collective.
MadePreconditioner make_preconditioner(const BlockOptions& options, System& system, const DistMatrix& matrix,
                                       std::span<const double> weights, const NullSpace* null_space, bool refreshable);

}  // namespace halocline::sparse
