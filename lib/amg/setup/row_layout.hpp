// LevelRows: rows of one part of a square matrix, as bodies of the set-up read them.
#pragma once

#include "lib/linalg/sparse/crs_layout.hpp"

namespace halocline::amg {

struct LevelRows {
  const Index* ptr;
  const LocalIndex* col;
  const double* val;
  Index below;  // the local column of own row i is below + i
  Index count;  // own rows
  HALOCLINE_HD LocalIndex local(Index row) const { return static_cast<LocalIndex>(below + row); }
  // Whether a local column is a ghost.
  HALOCLINE_HD bool ghost(LocalIndex column) const { return column < below || column >= below + count; }
  HALOCLINE_HD Index ghost_number(LocalIndex column) const { return column < below ? column : column - count; }
};

}  // namespace halocline::amg
