// Links between two partitions of the same rows, whose blocks may be empty: rows change hands as fewer or more parts
// are to hold them, and parts that hold something get the rows next to their own. Parts that hold nothing have no
// links. And the stages of a gather of all rows. Found by the blocks that meet, not by a loop over all pairs of parts.
#pragma once

#include <span>
#include <vector>

#include "mpi/halo/links.hpp"

namespace halocline {

// Rows that a part is to have beside its own; with `periodic` the first row follows the last one.
struct RowGhosts {
  Index before = 0, behind = 0;
  bool periodic = false;
};

// From the parts that own rows by `from` to those that are to have them by `to`, with ghosts. `from_at`, `to_at`: for
// every part of this rank where its first own row of either partition lies in what is sent from, and received into.
Links move_links(const Team& team, const Partition& from, const Partition& to, const RowGhosts& ghosts, Index row_size,
                 std::span<const Index> from_at, std::span<const Index> to_at);

// Ghosts alone, of parts whose first own row lies at `at`.
Links ghost_row_links(const Team& team, const Partition& rows, const RowGhosts& ghosts, Index row_size,
                      std::span<const Index> at);

// As gather_links(), but for `holders` alone, parts in ascending order that include all who own rows; empty: all parts.
// Up to `most_direct` holders exchange with each other at once; more in as many stages, one after the other, as their
// number has binary digits: in each a part has twice as many blocks as before, and sends one message (Bruck and others,
// IEEE Trans. Parallel Distrib. Syst. 8 (1997) 1143-1156).
std::vector<Links> gather_stages(const Team& team, const Partition& partition, Index row_size, Index offset,
                                 std::span<const int> holders = {});
inline constexpr int most_direct = 8;

}  // namespace halocline
