// Ranks that were started unlike each other: with other command lines, in other folders, of other versions, with other
// decks. They would wait for each other for ever, or mix their fields.
#pragma once

#include <string>

#include "mpi/communicator.hpp"

namespace halocline {

// Throws MachineError on all ranks, with the ranks that differ from rank 0 and in what; `deck`: the file whose bytes
// are compared too, "" for none. Returns them where all ranks have read them, "" where some rank could not, one rank is
// alone or the file is empty. Collective, and the first thing that ranks say to each other.
std::string require_same_start(const Communicator& comm, int argc, const char* const* argv, const std::string& deck);

}  // namespace halocline
