#pragma once

#include "io/h5/read_failure.hpp"

namespace halocline {

/// The result of work(), which reads a file of the user's: failures of the library are faults of that file there, and
/// the deck names it. But not where the system fails to read.
template <class Work>
auto as_deck_error(Work&& work) {
  try {
    return work();
  } catch (const h5::ReadFailure&) {
    throw;
  } catch (const MachineError& error) {
    throw DeckError(error.what());
  }
}

}  // namespace halocline
