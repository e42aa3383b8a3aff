// Checksums of files, which ranks compute together: each reads a share.
#pragma once

#include <cstdint>
#include <string>

#include "mpi/communicator.hpp"

namespace halocline {

// Of bytes begin ... begin + bytes - 1: the checksum (io/checksum.hpp) of them as 8-byte values, the last one filled up
// with zeros. It does not depend on the number of ranks. Collective; MachineError on all ranks.
std::uint64_t checksum_of_range(const Communicator& comm, const std::string& path, Index begin, Index bytes);
// The same by one rank alone.
std::uint64_t checksum_alone(const std::string& path, Index begin, Index bytes);

// What tells the contents of a file from others, in words: its size and a digest. "" of what is no plain file.
// Collective.
std::string contents_text(const Communicator& comm, const std::string& path);

}  // namespace halocline
