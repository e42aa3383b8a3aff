#include "lib/problems/sparse/method.hpp"

#include <cmath>
#include <utility>

#include "lib/base/format.hpp"
#include "lib/linalg/sparse/one_level.hpp"
#include "lib/problems/sparse/values.hpp"

namespace halocline::sparse {

namespace {

constexpr double divergence = 1e4;  // of the first residual
// Weights of Chebyshev's polynomial, as those of multigrid's smoother.
constexpr RowWeights chebyshev_weights{0.8, 1.9};

// The set of every own row, in natural order.
std::vector<Array<Index, 1>> set_numbers(const RowSpace& rows, const DistMatrix& matrix, const NullSpace& space) {
  PartValues numbers = constant_values(rows, 0);
  matrix.leave(space.sets(), numbers);
  std::vector<Array<Index, 1>> result;
  for (int p = 0; p < rows.team().parts(); ++p) {
    const std::vector<double> own = numbers[static_cast<std::size_t>(p)].to_host();
    result.push_back(make_array(rows.team().executor(p), std::vector<Index>(own.begin(), own.end())));
  }
  return result;
}

}  // namespace

double asymmetry(const RowSpace& rows, const DistMatrix& matrix) {
  Vector<double> x(matrix.space()), y(matrix.space()), product(matrix.space());
  matrix.enter(random_values(rows, 1), x);
  matrix.enter(random_values(rows, 2), y);
  const Dots of_y = matrix.apply_with_dots(y, product, x);
  const Dots of_x = matrix.apply_with_dots(x, product, y);
  const double size = norm(x) * std::sqrt(of_y.yy);
  return size > 0 ? std::abs(of_y.yw - of_x.yw) / size : 0;
}

ChosenMethod choose_method(const BlockOptions& options, const RowFindings& findings, double asymmetry) {
  const bool symmetric = asymmetry <= largest_asymmetry;
  const std::string measured = formatted("|x.Ay - y.Ax| is {:.2g} |x| |Ay|", asymmetry);
  const bool both_signs = findings.positive.count > 0 && findings.negative.count > 0;
  const Method asked = options.solver.method;
  if (!symmetric && (asked == Method::cg || asked == Method::fcg))
    throw DeckError("sparse.solver.method: " + std::string(word_for(asked)) +
                    " solves symmetric systems, and this matrix is not symmetric: " + measured +
                    "; use gmres or bicgstab");
  if (!symmetric && options.preconditioner == Preconditioner::chebyshev)
    throw DeckError("sparse.preconditioner: chebyshev is for symmetric matrices, and this one is not: " + measured);
  const bool multigrid = options.preconditioner == Preconditioner::amg;
  if (!symmetric && multigrid && options.amg.smoother == amg::SmootherKind::chebyshev)
    throw DeckError("sparse.amg.smoother: chebyshev is for symmetric matrices, and this one is not: " + measured);
  if (asked != Method::automatic) return {asked, "asked for"};
  if (!symmetric) return {Method::gmres, "not symmetric: " + measured};
  if (both_signs) return {Method::gmres, "symmetric, with diagonals of both signs"};
  if (multigrid && options.amg.preset == Preset::robust)
    return {Method::fcg, formatted("symmetric to {:.1g}, and preset robust", asymmetry)};
  return {Method::cg, formatted("symmetric to {:.1g}", asymmetry)};
}

KrylovOptions krylov_options(const SolverOptions& options) {
  KrylovOptions made;
  made.tolerance = options.tolerance;
  made.absolute_tolerance = options.absolute_tolerance;
  made.max_iterations = options.max_iterations;
  made.divergence = divergence;
  // Residuals may stay above the first one for thousands of iterations where no preconditioner sees the whole system.
  made.stagnation = 0;
  made.confirm = true;
  made.restart = static_cast<int>(options.restart);
  made.sums = options.sums;
  return made;
}

MatrixFormat storage_of(const StorageOptions& options) {
  MatrixFormat made;
  made.sigma = options.sigma;
  switch (options.kind) {
    case Storage::automatic:
      made.kind = options.sigma_given ? FormatKind::sell : FormatKind::automatic;
      break;
    case Storage::sell:
      made.kind = FormatKind::sell;
      break;
    case Storage::crs:
      made.kind = FormatKind::crs;
      break;
    case Storage::ell:
      made.kind = FormatKind::ell;
      break;
  }
  return made;
}

MadePreconditioner make_preconditioner(const BlockOptions& options, System& system, const DistMatrix& matrix,
                                       std::span<const double> weights, const NullSpace* null_space, bool refreshable) {
  switch (options.preconditioner) {
    case Preconditioner::none:
      return {};
    case Preconditioner::jacobi:
      return {make_jacobi(*system.A, matrix, {1, 0})};
    case Preconditioner::l1_jacobi:
      return {make_jacobi(*system.A, matrix, {1, 1})};
    case Preconditioner::chebyshev:
      return {make_chebyshev(*system.A, matrix, chebyshev_weights, static_cast<int>(options.degree))};
    case Preconditioner::amg:
      break;
  }
  amg::RowKinds kinds;
  kinds.component = std::move(system.components);
  kinds.node = std::move(system.near_null.node);
  kinds.near_null = std::move(system.near_null.vectors);
  if (null_space != nullptr && !kinds.near_null.empty())
    throw DeckError(
        "sparse.amg.near_null_space: the matrix is singular, with constants as its null space, which levels of "
        "given vectors cannot treat; near_null_space: constants (the default) and type classical do, and so does a "
        "matrix with some unknowns fixed");
  if (null_space != nullptr) kinds.null_set = set_numbers(*system.rows, matrix, *null_space);
  amg::AmgOptions wanted = options.amg.made();
  wanted.hierarchy.coarsening.keep = refreshable;
  auto made = std::make_unique<amg::Amg>(*system.A, matrix, wanted, weights, std::move(kinds));
  amg::Amg* multigrid = made.get();
  return {std::move(made), multigrid};
}

}  // namespace halocline::sparse
