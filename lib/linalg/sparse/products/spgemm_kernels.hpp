// Bodies that leave out ghosts that no row has; see spgemm.cpp.
#pragma once

#include "lib/base/atomics.hpp"
#include "lib/base/view.hpp"

namespace halocline::sparse {

// Numbers of ghosts of a part, without the own columns between them: -1 for an own one.
struct GhostNumber {
  Index below, own;
  HALOCLINE_HD Index operator()(LocalIndex column) const {
    if (column < below) return column;
    return column < below + own ? -1 : column - own;
  }
};

struct MarkUsedBody {
  View<const LocalIndex, 1> col;
  GhostNumber ghost;
  Bits* used;
  HALOCLINE_HD void operator()(Index e) const {
    const Index n = ghost(col(e));
    if (n >= 0) atomic_or(used + n / 64, Bits{1} << (n % 64));
  }
};

// new_number: of every ghost; own columns begin with `below`.
struct LeaveOutBody {
  View<LocalIndex, 1> col;
  GhostNumber ghost;
  View<const LocalIndex, 1> new_number;
  LocalIndex below;
  HALOCLINE_HD void operator()(Index e) const {
    const Index n = ghost(col(e));
    col(e) = n >= 0 ? new_number(n) : static_cast<LocalIndex>(below + (col(e) - ghost.below));
  }
};

}  // namespace halocline::sparse
