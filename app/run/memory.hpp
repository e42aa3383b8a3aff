// Whether a run fits into the memory of its devices, asked before anything is allocated: the system would grant the
// memory and kill the run later, and a GPU would fail in the middle of the setup.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/run/launcher.hpp"
#include "lib/problems/problem.hpp"
#include "mpi/communicator.hpp"
#include "mpi/team.hpp"

namespace halocline {

// Bytes of part `part` (of all) when the work is shared out by `shape`; parts grow with their weights.
double bytes_of_part(const LoadedDeck& deck, const Shape& shape, int part);

// Host memory of a rank for copies of outputs on their way to the disk (output.buffers); 0 where there are none.
double bytes_of_outputs(const LoadedDeck& deck);

// Host memory that a rank takes at most beside its parts: outputs under way; what is being written, a field of an
// output, in slabs where it is not cut so, or an array of a checkpoint; tables of results; where its devices are not
// the host, or `on_gpus` by a forecast, what their messages pass through.
double bytes_beside_parts(const LoadedDeck& deck, bool on_gpus = false);

// For `check`: what does not fit this machine, whose nodes need not be those of the run. One line per device that is
// too small: of the host by all its memory, of GPUs by all of theirs.
std::vector<std::string> memory_warnings(const Communicator& comm, const LoadedDeck& deck);
// The line of one place; "" if the run fits.
std::string memory_warning(const std::string& place, double needed, double present);

// The host's share of a run against the memory of this rank's node. MachineError with the memory needed and present.
void refuse_small_host(const Communicator& comm, const LoadedDeck& deck);
// The same on all ranks. Collective.
void check_host_memory(const Communicator& comm, const LoadedDeck& deck);

// The parts on each GPU, of all ranks, against its free memory. MachineError as above. Collective; for
// nothing where no rank has a GPU.
void check_gpu_memory(const Communicator& comm, const Team& team, const Shape& shape, const LoadedDeck& deck);

// What check_gpu_memory() says of a device that `parts` parts share, which need `bytes` in all; "" if they fit. `less`:
// what would.
std::string gpu_memory_fault(const std::string& device, int parts, double bytes, double free, const std::string& less);

// Does `work`; where memory comes to an end, on the way, the error tells what the plan has forecast. Throws OutOfMemory
// then.
void telling_forecast(const LoadedDeck& deck, const std::function<void()>& work);

}  // namespace halocline
