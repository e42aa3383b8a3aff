#include "lib/problems/sparse/method.hpp"

#include <cmath>

#include "lib/base/format.hpp"
#include "lib/linalg/sparse/one_level.hpp"
#include "lib/problems/sparse/values.hpp"

namespace halocline::sparse {

namespace {

constexpr double divergence = 1e4;  // of the first residual
// Weights of Chebyshev's polynomial, as those of multigrid's smoother.
constexpr RowWeights chebyshev_weights{0.8, 1.9};

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
  if (asked != Method::automatic) return {asked, "asked for"};
  if (!symmetric) return {Method::gmres, "not symmetric: " + measured};
  if (both_signs) return {Method::gmres, "symmetric, with diagonals of both signs"};
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

std::unique_ptr<Operator<double>> make_preconditioner(const BlockOptions& options, const System& system,
                                                      const DistMatrix& matrix) {
  switch (options.preconditioner) {
    case Preconditioner::none:
      return nullptr;
    case Preconditioner::l1_jacobi:
      return make_jacobi(*system.A, matrix, {1, 1});
    case Preconditioner::chebyshev:
      return make_chebyshev(*system.A, matrix, chebyshev_weights, static_cast<int>(options.degree));
    case Preconditioner::jacobi:
      break;
  }
  return make_jacobi(*system.A, matrix, {1, 0});
}

}  // namespace halocline::sparse
