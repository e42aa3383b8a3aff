#include "lib/problems/fractional/step/step_faults.hpp"

#include "lib/base/error.hpp"
#include "lib/base/format.hpp"

namespace halocline::fractional {

void refuse_step(Index l, double t, double denominator) {
  throw NumericalError(
      formatted("step {} to t = {:.6g}: the source grows faster with c than a step resolves: sigma A + (1 - theta)(k - "
                "dF/dc) is {:.3g} at a node and must be positive; more fractional.time.steps make A larger",
                l, t, denominator));
}

}  // namespace halocline::fractional
