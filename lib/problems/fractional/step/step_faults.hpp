// What ends a run in a step, as messages.
#pragma once

#include "lib/base/types.hpp"
#include "lib/fields/uniform_grid.hpp"
#include "lib/krylov/report.hpp"

namespace halocline::fractional {

/// Throws NumericalError: sigma A + (1 - theta)(k - dF/dc) is not positive at a node in step l to time t.
[[noreturn]] void refuse_step(Index l, double t, double denominator);

/// Throws NumericalError: `method` has ended without a solution of step l to time t; its residual is largest at a node
/// (numbered with x fastest).
[[noreturn]] void refuse_unsplit_step(Index l, double t, const char* method, const SolveReport& report, double tol,
                                      const UniformGrid& grid, Index node);

}  // namespace halocline::fractional
