// The seal of a file: its last lines, which have a checksum for every range of bytes before them. Who opens such a file
// can know before that no byte of it has changed; HDF5 ends in a crash on some damaged ones. HDF5 and its tools do not
// look behind the end of the data, so the file is theirs as before.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mpi/communicator.hpp"

namespace halocline {

struct SealedRange {
  Index begin = 0, bytes = 0;
  std::uint64_t sum = 0;  // as checksum_of_range() of them
  std::string name;
};

// Ends the file with a seal. `known`: ranges whose checksums were taken when they were in memory, in any order; the
// others are read. By one rank.
void seal_file(const std::string& path, std::vector<SealedRange> known);

// What is wrong with a file that should have a seal; "" when every byte is as it was. Collective; MachineError on all
// ranks when it cannot be read.
std::string fault_of_seal(const Communicator& comm, const std::string& path);

}  // namespace halocline
