#include "lib/problems/fractional/step/step_faults.hpp"

#include "lib/base/error.hpp"
#include "lib/base/format.hpp"

namespace halocline::fractional {

void refuse_step(Index l, double t, double denominator) {
  throw NumericalError(formatted(
      "step {} to t = {:.6g}: reaction and source grow faster with c than a step resolves: sigma A + (1 - theta)(k - "
      "dF/dc) is {:.3g} at a node and must be positive; more fractional.time.steps make A larger",
      l, t, denominator));
}

void refuse_unsplit_step(Index l, double t, const FailedSolve& solve, const UniformGrid& grid, Index node) {
  const Index line = node / grid.extent[0];
  const std::string upwind =
      solve.steep_peclet > 0 ? formatted("; so does solver.advection: upwind, since the cell Peclet number reaches {}",
                                         brief_text(solve.steep_peclet))
                             : "";
  throw NumericalError(formatted(
      "step {} to t = {:.6g}: {} {} after {} iterations: the residual is {:.2g} of the right-hand side, where "
      "fractional.solver.tol {} asks for {:.2g}; it is largest at {}; a larger solver.maxit or tol, or more "
      "time.steps, help{}",
      l, t, solve.method, words(solve.status), solve.iterations, solve.residual, brief_text(solve.tol), solve.needed,
      grid.place_text(node % grid.extent[0], line % grid.extent[1], line / grid.extent[1]), upwind));
}

}  // namespace halocline::fractional
