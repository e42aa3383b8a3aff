// Where the modes of a part's lines lie (modes.hpp), for bodies that solve across lines.
#pragma once

#include "lib/base/types.hpp"

namespace halocline::collocation {

// Right-hand sides, or unknowns, on the lines of a part.
struct ModeLines {
  double* data;  // component 0, mode 0 of line `first`
  Index first, line_size, component;
  // Row or unknown q of mode h * width + l.
  HALOCLINE_HD double* at(Index i, int q, Index mode, Index width) const {
    const Index h = mode / width;
    return data + (i - first) * line_size + (q + 2 * h) * component + mode % width;
  }
};

}  // namespace halocline::collocation
