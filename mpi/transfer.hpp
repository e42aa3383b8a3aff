// How values get from device memory of one rank to that of another: staged, as messages from and to pinned host memory;
// direct, with device pointers handed to an MPI library that understands them; or ipc, written there by the device
// itself where both ranks share a node (mpi/doors.hpp), while messages only tell that it was asked to. Results are the
// same.
#pragma once

#include "lib/base/executor.hpp"
#include "lib/base/words.hpp"

namespace halocline {

enum class Transfer { automatic, staged, direct, ipc };
constexpr auto words_of(Transfer) {
  return std::to_array<Word<Transfer>>({{"auto", Transfer::automatic},
                                        {"staged", Transfer::staged},
                                        {"direct", Transfer::direct},
                                        {"ipc", Transfer::ipc}});
}

// Whether the MPI library says that it takes pointers to memory of CUDA devices. Never found out by trial: a library
// that does not would crash, or send what the host has at that address.
bool mpi_takes_cuda_pointers();

// Whether messages of `executor` go directly. `automatic` does so on GPUs where MPI allows it, and never on the host,
// where it would save nothing; so does what does not go by `ipc`. Throws MachineError when `direct` is asked for and
// MPI cannot read the device's memory.
bool goes_directly(Transfer transfer, const Executor& executor, bool cuda_pointers = mpi_takes_cuda_pointers());

}  // namespace halocline
