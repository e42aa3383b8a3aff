// A run that is finished, and the same deck once more; what its checkpoints belong to.
#pragma once

#include <optional>
#include <string>

#include "app/run/launcher.hpp"
#include "io/output/checkpoint.hpp"

namespace halocline {

struct FinishedRun {
  int exit_code = 0;  // that it ended with
  std::string text;   // for the user
};

// What `--restart auto` finds in the output directory: a finished run of this very deck, but for where and by what it
// is computed; nothing where there is something to be done. DeckError where the deck asks for more than a finished run
// and there is no checkpoint to go on from, so that results would be replaced unasked. Collective.
std::optional<FinishedRun> find_finished_run(const Communicator& comm, const LoadedDeck& deck);

// The checkpoints of a run. Collective.
Checkpoints checkpoints_of(const Writers& writers, const LoadedDeck& deck);

// Whether two resolved decks ask for the same results in the same place: all but `run`, `checkpoint`,
// `output.directory` and `output.writers`.
bool ask_for_the_same(const std::string& one, const std::string& other);

}  // namespace halocline
