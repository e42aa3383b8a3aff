// Clock: the times of steps of one size.
#pragma once

#include "lib/base/types.hpp"

namespace halocline {

/// Step n begins at origin + n dt, whatever the steps before were grouped into: times do not drift by rounding.
struct Clock {
  double origin = 0, dt = 0;
  Index step = 0;  // the next one
  /// When the step begins that comes `later` steps after the next one.
  double at(Index later) const { return origin + static_cast<double>(step + later) * dt; }
};

}  // namespace halocline
