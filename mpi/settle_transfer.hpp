// What run.transfer comes to on the devices of a run.
#pragma once

#include <string>

#include "mpi/communicator.hpp"
#include "mpi/team.hpp"

namespace halocline {

// `auto` is ipc where GPUs of several ranks reach each other so; other ways stay what they are. Tells the team.
// MachineError when ipc was asked for by name and some parts of two ranks do not reach each other. Returns a line for
// the log: why not all GPUs of a node do, or nothing. `gpus`: whether any rank has one. Collective.
std::string settle_transfer(const Communicator& comm, Team& team, bool gpus);

}  // namespace halocline
