// Apart from what sends, so that simulations of clusters (tests/scale) can decide for large parts while they run small
// ones.
#include <algorithm>

#include "lib/problems/collocation/closed/wave_exchange.hpp"

namespace halocline::collocation {

// A chunk more hides what is left of the ends' way, of n chunks 1 / (n (n + 1)), and adds some 25 launches and two
// exchanges in two stages to what a GPU and its host do, by simulation 65 us and, on few parts, twice that. Ends of
// this many columns travel as long, there and back in two stages: 128 bytes of each at 50 GB/s. Kernels of fewer lines
// do not last as long as ends travel: 120 bytes a node at 2.9 TB/s.
Index wave_chunks(Index lines, Index columns) {
  constexpr Index most = 4, columns_of_chunk = 40'000, least_lines = 62;
  Index count = 1;
  while (lines >= least_lines && count < most && count * (count + 1) * columns_of_chunk <= columns) ++count;
  return count;
}

Partition modes_in_chunks(Index modes, Index chunks) {
  const Index groups = modes / lanes, each = (groups + chunks - 1) / chunks;
  std::vector<Index> starts;
  for (Index first = 0; first < groups; first += each) starts.push_back(first * lanes);
  starts.push_back(modes);
  return Partition::from_starts(std::move(starts));
}

}  // namespace halocline::collocation
