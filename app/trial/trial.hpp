// HDF5 1.10 itself crashes on some damaged files. So the files of HDF5 that a deck names are read by a process of their
// own before any rank opens them: where it crashes or comes to no end, the run refuses the file.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "io/fingerprint.hpp"
#include "mpi/communicator.hpp"

namespace halocline {

/// The first call of main(). In such a process it does the work and returns the exit code; else nothing, and from now
/// on try_data_files() may start this program again. Needs no MPI.
std::optional<int> serve_trial(int argc, const char* const* argv);

/// The signal that is to end this program, "" while there is none.
using Interruption = std::function<std::string()>;

/// Rank 0 has the files tried that these keys name, each once in the life of a run. DeckError on all ranks where one is
/// damaged in such a way; MachineError where that takes longer than a minute, or a signal comes. Other faults are found
/// by those who read. Nothing is tried where no process can be started, for lack of memory, or where main() has not
/// called serve_trial(). Collective.
void try_data_files(const Communicator& comm, const Fingerprint& keys, const Interruption& interruption);

}  // namespace halocline
