// The fingerprint of a deck: made from the options as they describe themselves, so a key that is new counts until
// somebody says that it does not.
#pragma once

#include <span>

#include "io/deck/deck.hpp"
#include "io/fingerprint.hpp"
#include "lib/base/describe.hpp"

namespace halocline {

// Of options that were read from `deck`; files are named, and not looked into. `free`: paths of keys, and of blocks
// with all their keys, that may change. `verify.exact` counts where a formula is the word `manufactured`, whatever
// `free` says.
Fingerprint fingerprint_of(const Deck& deck, Options& options, std::span<const char* const> free);

}  // namespace halocline
