// KrylovSolver<T>: iterative solution of A x = b in slices, so that progress, signals and limits act in between. T is
// double or float.
#pragma once

#include <memory>
#include <string_view>

#include "lib/krylov/report.hpp"
#include "lib/krylov/sum_messages.hpp"
#include "lib/linalg/operator.hpp"

namespace halocline {

// The range of numbers: products and sums of squares are taken in T, so residuals are to be from 1e-145 to 1e150 in
// double, from 1e-15 to 1e18 in float, and so are the products of A and M with them. Beyond, norms are measured with
// scaled numbers, so that no solve converges that has not, but methods lose digits or end as breakdown or not_finite.
// An x or b with a norm that is infinite ends as not_finite.
//
// How GMRES makes a vector orthogonal to those before it: the classical way twice takes two waits for sums, whatever
// their number; the modified way one for each.
enum class Orthogonalization { classical_twice, modified };

// Where the scalars of iterations are computed. On the device: an iteration is launched as a whole and the host follows
// by what it reports, a little behind; with a single part of all ranks, an operator that only launches, no M, and
// BiCGSTAB or CG. Automatic: there, but for devices that are the host itself, where nothing is gained.
// Results are equal to the bit.
enum class Scalars { automatic, on_host, on_device };

// Options out of range are a defect, found where a solver is made.
struct KrylovOptions {
  static constexpr int longest_cycle = 1000;

  // Stop when the residual norm is at most `tolerance` times the norm of b, or at most `absolute_tolerance`.
  double tolerance = 1e-9;
  Index max_iterations = 10000;
  double absolute_tolerance = 0;
  // Ends as diverged when the residual is more than this times the first one; 0: never.
  double divergence = 0;
  // Ends as stagnated when the smallest residual has shrunk by less than 0.1 % in so many iterations; 0: never.
  int stagnation = 0;
  // At convergence, compute the residual b - A x itself: where it is above the limits and above 10 times the recursive
  // one, begin once again from it, then end as stagnated.
  bool confirm = false;
  // GMRES: iterations of a cycle, 1 to longest_cycle.
  int restart = 30;
  Orthogonalization orthogonalization = Orthogonalization::classical_twice;
  Scalars scalars = Scalars::automatic;
  SumMessages sums = SumMessages::separate;
};

// Saves or restores a vector in an order that does not depend on the partition; known to whoever laid the vector out.
template <class T>
class VectorArchive {
 public:
  virtual ~VectorArchive() = default;
  virtual void vector(const char* name, Vector<T>& x) const = 0;
};

template <class T>
class KrylovSolver {
 public:
  virtual ~KrylovSolver() = default;
  // Prepares the solution of A x = b from the initial guess in x. M may be null: no preconditioning (on the right:
  // A M^-1). A, M, b and x must outlive the solve. Collective, as is iterate().
  virtual void begin(const Operator<T>& A, const Operator<T>* M, const Vector<T>& b, Vector<T>& x) = 0;
  // In place of the options', for solves that begin from here on.
  virtual void set_limits(double tolerance, Index max_iterations) = 0;
  // At most n further iterations; true when finished, for whatever reason the report gives.
  virtual bool iterate(int n) = 0;
  virtual const SolveReport& report() const = 0;
  // Everything but A, M, b and x, so that a restored solver goes on with the same bits. To be called after a begin()
  // with the b and the initial guess of the solve that was saved; x is restored by its owner. A solve that had
  // converged begins anew from its x where the tolerance is smaller now. Collective.
  virtual void archive(StateArchive& state, const VectorArchive<T>& vectors) = 0;
};

// Stabilized biconjugate gradients, Van der Vorst, SIAM J. Sci. Stat. Comput. 13 (1992) 631-644. Any regular matrix.
// Per iteration: two products with A, 19 vector reads and writes besides; three waits for sums. With fused sums two, as
// many reads and writes: the last two sums follow from those of the product before, but where they would lose digits,
// and near the end, where they are computed as they are without.
template <class T>
std::unique_ptr<KrylovSolver<T>> make_bicgstab(VectorSpacePtr space, const KrylovOptions& options);
// The same with a good preconditioner M, required, and stopped in the middle of an iteration when M's correction says
// that x is right: ||M s|| <= tolerance ||x||, where s is the residual; M s is then added. Reports give ||M s|| /
// ||x||, 1 at the start. For systems whose residual says little about the error. Per iteration 23 vector reads and
// writes and four waits for sums. With fused sums 22 and two waits, but near the end: the estimate is known after
// another product, which is in vain where it ends the solve. Of the options, absolute_tolerance and confirm have no
// meaning here.
template <class T>
std::unique_ptr<KrylovSolver<T>> make_half_step_bicgstab(VectorSpacePtr space, const KrylovOptions& options);
// Conjugate gradients in the form of Chronopoulos and Gear, J. Comput. Appl. Math. 25 (1989) 153-168: two waits for
// sums an iteration. Symmetric positive definite A and M, both fixed. Per iteration: one product, 10 vector reads and
// writes besides. With fused sums one wait, but near the end, and the same iterates: the residual's norm comes with the
// next product, which is in vain where it ends the solve unexpectedly.
template <class T>
std::unique_ptr<KrylovSolver<T>> make_cg(VectorSpacePtr space, const KrylovOptions& options);
// Flexible conjugate gradients, Notay, SIAM J. Sci. Comput. 22 (2000) 1444-1460, with one direction kept: for an M that
// is no fixed symmetric operator. Three waits an iteration; one product, 15 vector reads and writes besides. With fused
// sums one, as CG, and 11 reads and writes: A p follows from A M^-1 r and the direction before.
template <class T>
std::unique_ptr<KrylovSolver<T>> make_flexible_cg(VectorSpacePtr space, const KrylovOptions& options);
// Flexible generalized minimal residuals, Saad, SIAM J. Sci. Comput. 14 (1993) 461-469, restarted. Any regular matrix,
// any M, which may differ from step to step; to go on with the same bits after archive(), M must give the same for the
// same vector. x changes at the end of cycles only, where the residual is computed from it, and never for a larger one.
// Singular A: columns of rounding are left out; ends as breakdown or stagnated where no way on is left. Where rounding
// may have spoiled a solution that converged, it is confirmed without KrylovOptions::confirm. Memory: restart + 1
// vectors, at least 3, with M one more and what M keeps, by default `restart` vectors; it grows with the first cycle.
// Step j of a cycle, counted from 0: one product, 4 j + 9 vector reads and 3 writes besides; a copy at its end.
template <class T>
std::unique_ptr<KrylovSolver<T>> make_gmres(VectorSpacePtr space, const KrylovOptions& options);
// Iterative refinement, Wilkinson (1963): x += M r with r = b - A x in double, M a rough inverse, required, that may
// compute in any precision: what it gets has norms between one and two, scaled by powers of two. The tolerance is
// relative to the residual of the initial guess. Iterations that make it worse do not end it, but
// KrylovOptions::stagnation does. Per iteration: one residual, one M, 7 vector reads and writes besides.
std::unique_ptr<KrylovSolver<double>> make_refinement(VectorSpacePtr space, const KrylovOptions& options);
// "bicgstab", "cg", "fcg" or "gmres".
template <class T>
std::unique_ptr<KrylovSolver<T>> make_krylov(std::string_view method, VectorSpacePtr space,
                                             const KrylovOptions& options);

}  // namespace halocline
