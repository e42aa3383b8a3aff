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

void refuse_unsplit_step(Index l, double t, const char* method, const SolveReport& report, double tol,
                         const UniformGrid& grid, Index node) {
  const Index line = node / grid.extent[0];
  throw NumericalError(formatted(
      "step {} to t = {:.6g}: {} {} after {} iterations: the residual is {:.2g} of the right-hand side, and "
      "fractional.solver.tol asks for {}; it is largest at {}; a larger solver.maxit or tol, or more time.steps, help",
      l, t, method, words(report.status), report.iterations, report.residual, brief_text(tol),
      grid.place_text(node % grid.extent[0], line % grid.extent[1], line / grid.extent[1])));
}

}  // namespace halocline::fractional
