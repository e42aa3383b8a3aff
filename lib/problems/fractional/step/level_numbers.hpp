// LevelNumbers: the numbers of the step to a level.
#pragma once

#include "lib/base/types.hpp"

namespace halocline::fractional {

struct LevelNumbers {
  Index level = 0;      // the step's target, from 1 on
  int slot = 0;         // its place in the block of the history
  double t = 0;         // of the level
  double t_within = 0;  // t*, at which the equation holds
  double theta = 0;     // t* lies at 1 - theta between the levels before and behind it
  double local = 0;     // A_{l,l}
  double ratio = 0;     // r of the predictor
  double ahead() const { return (1 - theta) * ratio; }
};

}  // namespace halocline::fractional
