// Apart from what sends, so that simulations of clusters (tests/scale) can decide for large parts while they run small
// ones.
#include <algorithm>

#include "lib/problems/collocation/closed/wave_exchange.hpp"

namespace halocline::collocation {

// In two stages four exchanges of four chunks are under way at a time, which ask a GPU's host for 16 us each and more
// for many messages: some 0.25 ms in all, for which 8 million nodes give a GPU kernels (152 bytes a node at 2.9 TB/s:
// 0.44 ms). Fewer than four chunks hide less than their starts add.
Index wave_chunks(Index nodes_of_part) {
  constexpr Index nodes_of_chunk = 8'000'000, least = 4, most = 8;
  const Index count = std::min(most, nodes_of_part / nodes_of_chunk);
  return count < least ? 1 : count;
}

Partition modes_in_chunks(Index modes, Index chunks) {
  const Index groups = modes / lanes, each = (groups + chunks - 1) / chunks;
  std::vector<Index> starts;
  for (Index first = 0; first < groups; first += each) starts.push_back(first * lanes);
  starts.push_back(modes);
  return Partition::from_starts(std::move(starts));
}

}  // namespace halocline::collocation
