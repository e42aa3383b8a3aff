// What ends a run in a step, as messages.
#pragma once

#include "lib/base/types.hpp"

namespace halocline::fractional {

/// Throws NumericalError: sigma A + (1 - theta)(k - dF/dc) is not positive at a node in step l to time t.
[[noreturn]] void refuse_step(Index l, double t, double denominator);

}  // namespace halocline::fractional
