// LevelNumbers: the numbers of the step to a level.
#pragma once

#include "lib/problems/fractional/weights/media_kernels.hpp"
#include "lib/problems/fractional/weights/weights.hpp"

namespace halocline::fractional {

struct LevelNumbers {
  Index level = 0;         // the step's target, from 1 on
  double t = 0;            // of the level
  double ratio = 0;        // r of the predictor
  int media = 1;           // by number of the medium:
  MediumNumbers t_within;  // t*, at which the equation holds
  MediumNumbers theta;     // t* lies at 1 - theta between the levels before and behind it
  MediumNumbers local;     // A_{l,l}
  MediumNumbers ahead;     // (1 - theta) r

  static LevelNumbers of(const Weights& weights, Index level, double ratio);
};

}  // namespace halocline::fractional
