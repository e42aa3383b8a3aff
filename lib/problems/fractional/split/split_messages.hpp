// What the control of splitting tells, as lines for the log and errors.
#pragma once

#include <string>

#include "lib/base/types.hpp"
#include "lib/problems/fractional/split/probe.hpp"

namespace halocline::fractional {

/// Of what a probe found.
std::string probe_text(const Growth& growth);
/// Of the first step whose error may be above `limit`.
std::string estimate_text(Index level, double error, double limit);
/// Of the first step with multigrid.
std::string multigrid_text(int levels);
/// Of the step at which it was given up.
std::string no_multigrid_text(Index level, Index iterations);
/// Throws NumericalError: the deck asks for sweeps that are not stable.
[[noreturn]] void refuse_sweeps(const Growth& growth);

}  // namespace halocline::fractional
