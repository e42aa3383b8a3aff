// GPUs of one process that copy from each other.
#pragma once

#include <vector>

#include "lib/base/executor.hpp"

namespace halocline {

// Lets GPUs among the executors reach each other's memory where the hardware can. Copies do so by themselves, but what
// is allocated by then has to be mapped, tens of milliseconds for some gigabytes. Other executors are left alone.
void open_peers(const std::vector<ExecutorPtr>& executors);

}  // namespace halocline
