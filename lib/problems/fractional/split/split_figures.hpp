// SplitFigures: what a run says about how its steps were solved.
#pragma once

#include "lib/base/types.hpp"

namespace halocline::fractional {

struct SplitFigures {
  bool estimated = false;  // whether errors of sweeps are bounded at all
  double error = 0;        // the largest bound of a step that was left to sweeps, relative to the largest c
  Index unsplit_steps = 0, iterations = 0;
};

}  // namespace halocline::fractional
