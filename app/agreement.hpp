// Ranks that were started unlike each other: with other command lines, in other folders, of other versions, with other
// decks. They would wait for each other for ever, or mix their fields.
#pragma once

#include <string>

#include "mpi/communicator.hpp"

namespace halocline {

// Throw MachineError on all ranks, with the ranks that differ from rank 0 and in what. Collective, and the first thing
// that ranks say to each other.
void require_same_start(const Communicator& comm, int argc, const char* const* argv);
// The bytes of the deck; a rank that cannot read it gets them from rank 0 in any case.
void require_same_deck(const Communicator& comm, const std::string& file);

}  // namespace halocline
