// What ends a run in a step, as messages.
#pragma once

#include "lib/base/types.hpp"
#include "lib/fields/uniform_grid.hpp"
#include "lib/krylov/report.hpp"

namespace halocline::fractional {

/// Throws NumericalError: sigma A + (1 - theta)(k - dF/dc) is not positive at a node in step l to time t.
[[noreturn]] void refuse_step(Index l, double t, double denominator);

/// A solve that has not come to `needed`, of its residual over its right-hand side, as solver.tol `tol` asks.
struct FailedSolve {
  const char* method;
  SolveStatus status;
  Index iterations;
  double residual, needed, tol;
  double steep_peclet;  // as in Formulation
};
/// Throws NumericalError: step l to time t has no solution; the residual is largest at a node (numbered with x
/// fastest).
[[noreturn]] void refuse_unsplit_step(Index l, double t, const FailedSolve& solve, const UniformGrid& grid, Index node);

}  // namespace halocline::fractional
