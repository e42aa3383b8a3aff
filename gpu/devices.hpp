// Devices of this machine: executors by name, and the devices a rank drives.
#pragma once

#include <string>
#include <vector>

#include "lib/base/executor.hpp"

namespace halocline {

// "omp", "omp:8" (threads), "emulated", "emulated:2" (threads), "emulated-lazy:2".
// Throws DeckError for an unknown name, MachineError for a device that this build or machine lacks.
ExecutorPtr make_executor(const std::string& name, int default_threads);

// One line per device of this machine, for `halocline info`.
std::vector<std::string> describe_devices();

}  // namespace halocline
