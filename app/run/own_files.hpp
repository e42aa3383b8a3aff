// Whose the files of an output directory are: nothing of others is replaced or removed.
#pragma once

#include <exception>
#include <string>

#include "app/cli.hpp"
#include "app/run/launcher.hpp"
#include "io/directory_lock.hpp"

namespace halocline {

// The field whose pictures a run of the deck makes; "" where it makes none.
std::string field_of_pictures(const LoadedDeck& deck);

// Before anything is computed, the lock of the directory of `deck`, taken if the directory is there. What is against it
// is found by rank 0 and told when all ranks agree on something anyway, by a Session or settle().
class DirectoryClaim {
 public:
  DirectoryClaim(const Communicator& comm, Log& log, const LoadedDeck& deck, const Command& command);

  // On rank 0: MachineError when another process holds the lock; DeckError when a run is there and the command neither
  // replaces nor continues it; MachineError, with its name, when a file that halocline has not written is in the way of
  // what a run, study or sweep writes.
  void require() const;
  // The same on all ranks. Collective.
  void settle(const Communicator& comm) const;
  DirectoryLock& lock() { return lock_; }

 private:
  DirectoryLock lock_;
  std::exception_ptr against_;
};

// Ends the manifest of a run that is over. What cannot be written leaves it open, which is no fault. By one rank.
void list_own_files(const std::string& directory);

}  // namespace halocline
