// Phases of a run as named ranges (NVTX) on the time line of NVIDIA's profilers. They cost next to nothing when no
// profiler listens, and nothing in a build without CUDA.
#pragma once

#include "lib/base/timers.hpp"

namespace halocline {

// For Timers: opens a range where a scope begins and closes it where the scope ends.
Timers::Listener phase_marks();

}  // namespace halocline
