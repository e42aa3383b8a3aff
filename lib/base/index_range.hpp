// Ranges of indices that start at zero.
#pragma once

#include "lib/base/view.hpp"

namespace halocline {

// Indices 0, 1, ..., count - 1.
inline Range<1> up_to(Index count) { return {{0}, {count}}; }

}  // namespace halocline
