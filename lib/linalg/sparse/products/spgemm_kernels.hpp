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
  HALOCLINE_HD LocalIndex column(Index ghost) const {
    return static_cast<LocalIndex>(ghost < below ? ghost : ghost + own);
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

// From all ghosts to fewer; `number`: of every ghost.
struct LeaveOutBody {
  View<LocalIndex, 1> col;
  GhostNumber all, fewer;
  View<const LocalIndex, 1> number;
  HALOCLINE_HD void operator()(Index e) const {
    const Index n = all(col(e));
    col(e) = n >= 0 ? fewer.column(number(n)) : static_cast<LocalIndex>(fewer.below + (col(e) - all.below));
  }
};

// And back, for every column.
struct OldColumnBody {
  View<LocalIndex, 1> column_of_b;
  GhostNumber fewer, all;
  View<const LocalIndex, 1> number;
  HALOCLINE_HD void operator()(Index column) const {
    const Index n = fewer(static_cast<LocalIndex>(column));
    column_of_b(column) = n >= 0 ? all.column(number(n)) : static_cast<LocalIndex>(all.below + (column - fewer.below));
  }
};

}  // namespace halocline::sparse
