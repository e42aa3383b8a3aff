// The door of an executor, see lib/base/node/door.hpp.
#pragma once

#include <memory>

#include "lib/base/executor.hpp"
#include "lib/base/node/door.hpp"

namespace halocline {

// Null where there is none: the host. MachineError when the device has no room for it. The executor outlives the door.
std::unique_ptr<Door> make_door(const Executor& executor);

// Of an executor of make_cuda_executor(), by CUDA IPC.
std::unique_ptr<Door> make_cuda_door(const Executor& executor);

}  // namespace halocline
