// Body on the ghosts of a part: lines along x beyond its planes and rows.
#pragma once

#include "lib/fields/slab_layout.hpp"
#include "lib/problems/fractional/space/stencil_kernels.hpp"

namespace halocline::fractional {

/// The lines of ghosts that a part has, up to four runs of them.
struct GhostLines {
  struct Run {
    Index begin = 0, offset = 0, stride = 0;  // number of its first line, where that lies, and from line to line
  };
  Run runs[4];
  int count = 0;
  Index lines = 0;

  void add(Index of_run, Index offset, Index stride) {
    runs[count++] = {lines, offset, stride};
    lines += of_run;
  }
  HALOCLINE_HD Index at(Index line) const {
    int run = count - 1;
    while (runs[run].begin > line) --run;
    return runs[run].offset + (line - runs[run].begin) * runs[run].stride;
  }
};

/// C grows by the increment, as in UpdateOf. Field, Slot: of a precision of precision_layout.hpp.
template <class Field, class Slot>
struct GrowGhostsBody : NodeByNode<GrowGhostsBody<Field, Slot>> {
  GhostLines ghosts;
  Field* c;
  const Slot* increment;
  HALOCLINE_HD void operator()(Index line, Index i) const {
    const Index at = ghosts.at(line) + i;
    c[at] += Field(increment[at]);
  }
};

}  // namespace halocline::fractional
