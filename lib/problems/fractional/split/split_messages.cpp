#include "lib/problems/fractional/split/split_messages.hpp"

#include "lib/base/error.hpp"
#include "lib/base/format.hpp"

namespace halocline::fractional {

namespace {

// What a probe found, as a part of a sentence.
std::string finding(const Growth& growth) {
  if (growth.stable_in_the_end() && !growth.stable_between())
    return formatted("errors of the sweeps to grow for a while, {:.2g} times as much as those of stable ones may",
                     growth.excess);
  return formatted("errors of the sweeps to change by a factor of {:.3g} a step", growth.rate);
}

}  // namespace

std::string probe_text(const Growth& growth) {
  return formatted("a probe found {}: {}", finding(growth),
                   growth.stable() ? "sweeps are stable" : "sweeps are not stable, and every step is solved unsplit");
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

void refuse_sweeps(const Growth& growth) {
  throw NumericalError(formatted(
      "fractional.solver.split: adi: a probe before the first step found {}, since D, sigma, reaction or "
      "orders vary strongly or c is carried far in a step; with `auto` steps are solved unsplit where that is "
      "needed",
      finding(growth)));
}

}  // namespace halocline::fractional
