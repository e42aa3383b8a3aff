// Whose the files of an output directory are: nothing of others is replaced or removed.
#pragma once

#include <string>

#include "app/cli.hpp"
#include "app/run/launcher.hpp"

namespace halocline {

// The field whose pictures a run of the deck makes; "" where it makes none.
std::string field_of_pictures(const LoadedDeck& deck);

// Before anything is computed: MachineError on all ranks, with its name, when a file that halocline has not written is
// in the way of what a run, study or sweep of `deck` writes. Collective.
void refuse_files_in_the_way(const Communicator& comm, const LoadedDeck& deck, const Command& command);

// Ends the manifest of a run that is over. What cannot be written leaves it open, which is no fault. By one rank.
void list_own_files(const std::string& directory);

}  // namespace halocline
