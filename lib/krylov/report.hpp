// SolveReport: how an iterative solution goes, and why it ended.
#pragma once

#include <span>
#include <vector>

#include "lib/base/publish.hpp"
#include "mpi/communicator.hpp"

namespace halocline {

enum class SolveStatus {
  running,
  converged,
  zero_rhs,                   // the right-hand side is zero, so is the solution
  max_iterations,             // the limit of the options
  not_finite,                 // infinite or undefined numbers in the residual or the solution
  indefinite_matrix,          // CG: (x, A x) <= 0 for some x
  indefinite_preconditioner,  // CG: (x, M^-1 x) <= 0 for some x
  diverged,                   // the residual has grown beyond the limit of the options
  stagnated,                  // no progress worth the name in the last iterations
  breakdown                   // a quotient of the method has no value, also after restarts
};
// The reason as the predicate of a message: "BiCGSTAB did not converge after 5 iterations".
const char* words(SolveStatus status);

struct SolveReport {
  int iterations = 0;
  double residual = 0;  // Euclidean norm of the (recursive) residual, relative to that of b
  SolveStatus status = SolveStatus::running;
  int restarts = 0;             // after a breakdown, or where the recursive residual had left the true one
  std::vector<double> history;  // relative residual at the start and after every iteration

  bool finished() const { return status != SolveStatus::running; }
  bool converged() const { return status == SolveStatus::converged || status == SolveStatus::zero_rhs; }
  // Neither solved nor to be continued: the method failed.
  bool failed() const { return finished() && !converged() && status != SolveStatus::max_iterations; }
};

// Saves or restores numbers that every rank has, in memory of the host. Collective.
void archive_values(const Communicator& comm, StateArchive& state, const char* name, std::span<double> values);

// Saves or restores a report, whatever its length. A solve at its limit is restored as one that runs, since the limit
// belongs to the options. Collective.
void archive_report(const Communicator& comm, StateArchive& state, SolveReport& report);

}  // namespace halocline
