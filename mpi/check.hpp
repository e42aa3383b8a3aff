// check_mpi: turns an error code of MPI into a MachineError that names the call.
#pragma once

#include <mpi.h>

#include <string>

#include "lib/base/error.hpp"

namespace halocline {

inline void check_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw MachineError(std::string(call) + " failed: " + std::string(text, static_cast<std::size_t>(length)));
}

}  // namespace halocline
