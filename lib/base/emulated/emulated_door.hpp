// The door of the emulated device: memory and marks in a file that other processes open.
#pragma once

#include "lib/base/node/door.hpp"

namespace halocline {

// Null for executors of other kinds.
std::unique_ptr<Door> make_emulated_door(const Executor& executor);

}  // namespace halocline
