// Whose the files of an output directory are: nothing of others is replaced or removed.
#pragma once

#include <memory>
#include <string>

#include "app/cli.hpp"
#include "app/run/launcher.hpp"

namespace halocline {

// The field whose pictures a run of the deck makes; "" where it makes none.
std::string field_of_pictures(const LoadedDeck& deck);

// Before anything is computed, the lock of the directory of `deck`, taken if the directory is there. On all ranks:
// MachineError when another process holds it; DeckError when a run is there and the command neither replaces nor
// continues it; MachineError, with its name, when a file that halocline has not written is in the way of what a run,
// study or sweep writes. Collective.
std::unique_ptr<DirectoryLock> claim_directory(const Communicator& comm, Log& log, const LoadedDeck& deck,
                                               const Command& command);

// Ends the manifest of a run that is over. What cannot be written leaves it open, which is no fault. By one rank.
void list_own_files(const std::string& directory);

}  // namespace halocline
