// KrylovSolver: iterative solution of A x = b in slices, so that progress, signals and limits act in between.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "lib/base/publish.hpp"
#include "lib/linalg/linear_operator.hpp"

namespace halocline {

struct KrylovOptions {
  // Stop when the residual norm is at most this times the norm of b.
  double tolerance = 1e-9;
  Index max_iterations = 10000;
};

struct SolveReport {
  int iterations = 0;
  double residual = 0;  // Euclidean norm of the (recursive) residual, relative to that of b
  bool converged = false;
  bool broken_down = false;     // gave up after repeated breakdowns or non-finite values
  int restarts = 0;             // after a breakdown
  std::vector<double> history;  // relative residual at the start and after every iteration
};

// Saves or restores a vector in an order that does not depend on the partition; known to whoever laid the vector out.
class VectorArchive {
 public:
  virtual ~VectorArchive() = default;
  virtual void vector(const char* name, Vector& x) const = 0;
};

class KrylovSolver {
 public:
  virtual ~KrylovSolver() = default;
  // Prepares the solution of A x = b from the initial guess in x. M may be null: no preconditioning (on the right:
  // A M^-1). A, M, b and x must outlive the solve. Collective, as is iterate().
  virtual void begin(const LinearOperator& A, const LinearOperator* M, const Vector& b, Vector& x) = 0;
  // At most n further iterations; true when finished (converged, limit reached or broken down).
  virtual bool iterate(int n) = 0;
  virtual const SolveReport& report() const = 0;
  // Everything but A, M, b and x, so that a restored solver goes on with the same bits. To be called after begin().
  // Collective.
  virtual void archive(StateArchive& state, const VectorArchive& vectors) = 0;
};

// Saves or restores a report, whatever its length. Collective.
void archive_report(const Communicator& comm, StateArchive& state, SolveReport& report);

// Stabilized biconjugate gradients, Van der Vorst, SIAM J. Sci. Stat. Comput. 13 (1992) 631-644. Any regular matrix.
// Per iteration: two products with A, 19 vector reads and writes besides.
std::unique_ptr<KrylovSolver> make_bicgstab(VectorSpacePtr space, const KrylovOptions& options);
// The same with a good preconditioner M, required, and stopped in the middle of an iteration when M's correction says
// that x is right: ||M s|| <= tolerance ||x||, where s is the residual; M s is then added. Reports give ||M s|| /
// ||x||, 1 at the start. For systems whose residual says little about the error. Per iteration 23 vector reads and
// writes.
std::unique_ptr<KrylovSolver> make_half_step_bicgstab(VectorSpacePtr space, const KrylovOptions& options);
// Conjugate gradients, Hestenes and Stiefel (1952); symmetric positive definite A and M.
std::unique_ptr<KrylovSolver> make_cg(VectorSpacePtr space, const KrylovOptions& options);
// "bicgstab" or "cg".
std::unique_ptr<KrylovSolver> make_krylov(std::string_view method, VectorSpacePtr space, const KrylovOptions& options);

}  // namespace halocline
