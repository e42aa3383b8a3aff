// all_arrive: a meeting that may fail, for what is to be done in order after an error that all ranks may have met.
#pragma once

#include <chrono>

#include "mpi/communicator.hpp"

namespace halocline {

// Whether all ranks call this within `patience` of each other. After false the communicator serves for nothing more:
// the program is about to end.
bool all_arrive(const Communicator& comm, std::chrono::milliseconds patience);

}  // namespace halocline
