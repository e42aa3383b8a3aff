// Links: which positions of its data a part sends to other parts and where it puts what comes from them, for Halo; and
// makers of the links of common layouts. Positions and sizes count values, whatever their type.
#pragma once

#include <span>
#include <vector>

#include "lib/base/types.hpp"
#include "mpi/communicator.hpp"
#include "mpi/partition.hpp"
#include "mpi/team.hpp"

namespace halocline {

// Positions in a part's data: a strided box, or a list.
struct IndexSet {
  Index offset = 0;
  Index extent[3] = {0, 1, 1};
  Index stride[3] = {1, 1, 1};  // extent[2], stride[2] run fastest
  std::vector<Index> list;      // used instead of the box when not empty; copied to the device
  Index size() const { return list.empty() ? extent[0] * extent[1] * extent[2] : static_cast<Index>(list.size()); }
  static IndexSet run(Index offset, Index count) { return {offset, {1, 1, count}, {0, 0, 1}, {}}; }
};

// What one part exchanges with `part` (a global part number): it sends its `send` positions and receives into `recv`.
// Links of a pair of parts match in order and size.
struct Link {
  int part;
  IndexSet send, recv;
};

// For every part of this rank, in order.
using Links = std::vector<std::vector<Link>>;

// Links by which what `links` brings goes back: each part sends what lies at its `recv` positions, and gets what others
// hold of its own values in a buffer of one stretch per link, in the order of the links and of their `send` positions.
Links reversed(const Links& links);

// What a part sends to one neighbor, and where it receives.
struct Swap {
  IndexSet send, recv;
};
struct NeighborSwaps {
  Swap before, behind;  // with the part of the next lower and of the next higher number
};
// Links of every part with the parts before and behind it; with `periodic` the first and the last part are neighbors
// too (a part may be its own). `swaps`: one per part of this rank.
Links neighbor_links(const Team& team, std::span<const NeighborSwaps> swaps, bool periodic = false);

// Room for lines of other parts around a part's own: the own lines begin behind `room` lines, and `before` lines of the
// part before end where they begin; `behind` lines of the part behind follow the last.
struct GhostLines {
  Index room, before, behind;
};
// `lines`: how many each part of this rank owns; `line_size`: values of a line. Refuses, as a defect, parts with fewer
// lines than their neighbors want.
Links line_links(const Team& team, std::span<const Index> lines, Index line_size, const GhostLines& ghosts,
                 bool periodic = false);

// The same for a part that owns rows `partition.block(part)` of `row_size` values and stores `width` ghost rows on
// either side, so that row r of part p lies at (r - block.lo + width) * row_size.
Links slab_links(const Partition& partition, const Team& team, Index row_size, int width, bool periodic = false);

// Sends a part's first line to the part before and its last one to the part behind, out of `lines` lines that begin at
// position 0; received are, in memory of its own, the line before at 0 and the line behind at `line_size`.
Links edge_links(const Team& team, std::span<const Index> lines, Index line_size);

// Gives every part the rows of all: each holds memory for all rows of `row_size` values, those of part p at
// offset + partition.block(p), and its own are there. Parts may own no row.
Links gather_links(const Team& team, const Partition& partition, Index row_size, Index offset = 0);

// Brings rows that lists name. `wanted`: for every part of this rank, numbers of rows of other parts, ascending, each
// once; `own`: where the part's own rows, rows.block(part), begin in its data. What arrives keeps the order of the row
// numbers: rows below the own ones end where these begin, rows above follow their last. There is one link per pair of
// parts, and what comes from a part lies in one stretch. Collective.
Links row_links(const Communicator& comm, const Team& team, const Partition& rows,
                std::span<const std::vector<Index>> wanted, std::span<const Index> own);

}  // namespace halocline
