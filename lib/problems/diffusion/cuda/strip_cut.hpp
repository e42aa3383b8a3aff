// How a part of a plane is cut into strips (convolve_strips.cu) and these into chunks of rows.
#pragma once

#include <algorithm>

#include "lib/base/types.hpp"

namespace halocline::diffusion {

// Strips of the inner rectangle, `margin` more columns on either side of what a strip computes, cut into chunks of
// rows.
struct Strips {
  Index count = 0, chunks = 0, chunk_rows = 0, margin = 0;
  bool ring = false;      // periodic along x
  bool to_walls = false;  // across y
};

// Chunks of rows of a strip. `slots` warps run at a time; shorter chunks leave fewer of these without work, and compute
// more rows twice. Fewer warps than slots are a little faster each.
inline Index strip_chunks(Index strips, Index rows, Index slots, Index reach) {
  Index best = 1;
  double least = 0;
  for (Index chunks = 1; chunks <= std::max<Index>(1, rows / (4 * reach)); ++chunks) {
    const double rounds = static_cast<double>(strips * chunks) / static_cast<double>(slots);
    const double taken = rounds < 1 ? 0.75 + 0.25 * rounds : rounds + 0.25 / rounds;
    const double time = taken * static_cast<double>((rows + chunks - 1) / chunks + 2 * reach);
    if (chunks == 1 || time < least) least = time, best = chunks;
  }
  return best;
}

}  // namespace halocline::diffusion
