#include "lib/problems/fractional/split/split_messages.hpp"

#include "lib/base/error.hpp"
#include "lib/base/format.hpp"

namespace halocline::fractional {

std::string probe_text(double rate, bool grows) {
  return formatted("a probe of the sweeps found errors to change by a factor of {:.3g} a step: {}", rate,
                   grows ? "they are not stable, and every step is solved unsplit" : "they are stable");
}

std::string estimate_text(Index level, double error, double limit) {
  return formatted(
      "step {}: sweeps may be wrong by up to {:.2g} of the largest c, above solver.split_error {}: solved unsplit, as "
      "others where it is so",
      level, error, brief_text(limit));
}

std::string multigrid_text(int levels) {
  return formatted("unsplit steps with a large nu D/h^2 are preconditioned by multigrid on {} levels", levels);
}

std::string no_multigrid_text(Index level, Index iterations) {
  return formatted(
      "step {}: multigrid did not converge in {} iterations: this step and those to come are preconditioned by the "
      "diagonal",
      level, iterations);
}

void refuse_sweeps(double rate) {
  throw NumericalError(
      formatted("fractional.solver.split: adi: a probe before the first step found errors of the sweeps to grow by a "
                "factor of {:.3g} a step, since D, sigma, reaction or orders vary strongly or c is carried far in a "
                "step; with `auto` steps are solved unsplit where that is needed",
                rate));
}

}  // namespace halocline::fractional
