// Links between boxes of a grid in 3D, or in 2D, whose rows are planes here and whose columns are rows: ghosts from up
// to eight neighbors in one exchange, or from four, beside faces.
#pragma once

#include <span>

#include "mpi/box_partition.hpp"
#include "mpi/halo/links.hpp"

namespace halocline {

// How a part's values lie: planes of rows, `halo` planes and `rim` rows of ghosts beyond either end of its own; value 0
// is that of the first ghost.
struct BoxMemory {
  Index rows, planes;       // own
  Index row, plane;         // values from row to row, from plane to plane
  Index halo = 0, rim = 0;  // rim 0: y is not cut
};

struct BoxAround {
  bool y = false, z = false;  // the first part and the last one along the axis are neighbors
  bool across = true;         // ghosts in edges, which lie beyond both, are exchanged as well
};

// `memory`: one per part of this rank. Axes that are not cut have no ghosts; where both are, ghosts in edges come from
// parts across them, or have no values (`across`). Refuses, as a defect, parts thinner than the ghosts of their
// neighbors.
Links box_links(const BoxPartition& boxes, const Team& team, std::span<const BoxMemory> memory, BoxAround around);

}  // namespace halocline
