#pragma once

#include "lib/base/error.hpp"

namespace halocline::h5 {

// The system could not open or read a file, whatever the file holds.
struct ReadFailure final : MachineError {
  using MachineError::MachineError;
};

}  // namespace halocline::h5
