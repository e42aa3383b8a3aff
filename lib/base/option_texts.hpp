// texts_of_options: the values of all keys that options describe, as one text: what a restart must have in common.
#pragma once

#include <string>

#include "lib/base/describe.hpp"

namespace halocline {

/// Names and values of all keys, a line each, numbers with all their digits. Pass a copy: options may
/// keep which keys a deck has given, and here none is.
std::string texts_of_options(Options& options);

}  // namespace halocline
