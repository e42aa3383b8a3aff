#pragma once

#include "lib/base/error.hpp"

namespace halocline {

/// The result of work(), which reads a file of the user's: failures of the library are faults of that file there, and
/// the deck names it.
template <class Work>
auto as_deck_error(Work&& work) {
  try {
    return work();
  } catch (const MachineError& error) {
    throw DeckError(error.what());
  }
}

}  // namespace halocline
