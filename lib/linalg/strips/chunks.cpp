// Lengths of strips and numbers of chunks. Apart from what cuts, so that simulations of clusters (tests/scale) can
// decide for large parts while they run small ones.
#include <algorithm>
#include <utility>

#include "lib/linalg/strips/strips.hpp"

namespace halocline {

Index strip_length(Index rows) {
  Index length = 2;
  while (length < 32 && 4 * length * length <= rows) length *= 2;
  return length;
}

namespace strips {

// A chunk more hides what is left of the ends' way, in n chunks 1/n of it, behind the strips of others, and asks a
// GPU's host for two exchanges more, of 16 us each. Ends of these many columns travel as long: there and back 32 bytes
// of each at 50 GB/s.
Index chunks_of(Index rows, Index pitch) {
  constexpr Index columns_of_exchanges = 48'000;
  Index count = 1;
  while (count < std::min(most_chunks, rows) && count * (count + 1) * columns_of_exchanges <= rows * pitch) ++count;
  return count;
}

Partition column_chunks(Index rows, Index pitch, Index count) {
  std::vector<Index> starts;
  for (Index n = 0; n <= count; ++n) starts.push_back(n * rows / count * pitch);
  return Partition::from_starts(std::move(starts));
}

}  // namespace strips
}  // namespace halocline
