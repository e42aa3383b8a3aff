// Commands: what each action of the command line does.
#pragma once

#include <string>

#include "app/cli.hpp"
#include "mpi/communicator.hpp"

namespace halocline {

// Does what the command line asks for and returns the exit code. Collective: every rank calls it with the same
// arguments; rank 0 speaks. `mpi_library` is named by `info`. Throws Error.
int run_command_line(int argc, const char* const* argv, const Communicator& comm, const std::string& mpi_library);

}  // namespace halocline
