// How fast a device copies inside its memory: what most of halocline's loops are limited by, and so a measure of the
// share of work a device should get.
#pragma once

#include "lib/base/executor.hpp"

namespace halocline {

// Bytes read and written per second by copies of 64 MiB back and forth, of 256 MiB on GPUs, measured for about
// `seconds` after a warm-up. Takes twice that memory of the device meanwhile. Devices that share memory are to be
// measured together.
double copy_rate(const ExecutorPtr& executor, double seconds);

}  // namespace halocline
