// How a part of a plane is cut into strips (convolve_strips.cu) and these into chunks of rows.
#pragma once

#include <algorithm>

#include "lib/base/types.hpp"

namespace halocline::diffusion {

constexpr int per_lane = 4, strip_width = 32 * per_lane;  // columns
constexpr Index strip_round = 4;                          // that strips begin with multiples of: 32 bytes

// Strips of the inner rectangle, `margin` more columns on either side of what a strip computes, cut into chunks of
// rows. `first`, `last`: where the first and the last one begin.
struct Strips {
  Index count = 0, chunks = 0, chunk_rows = 0, margin = 0, first = 0, last = 0;
  bool ring = false;      // periodic along x
  bool to_walls = false;  // across y
};

// Strips of the columns [x0, x1), without chunks. x0 goes down to where a strip may begin: beyond open sides a few more
// columns are in memory than neighbors fill, and what is computed from these reaches no cell that counts. Columns that
// are fewer than a strip has are left to one that ends before `known`, where columns in memory end.
inline Strips cut_strips(Index& x0, Index x1, Index known, Index margin, bool ring) {
  constexpr Index round = strip_round;
  Strips strips;
  strips.margin = margin;
  strips.ring = ring;
  if (x0 < 0) x0 = -((round - 1 - x0) / round * round);
  const Index step = strip_width - 2 * margin, end = ring ? x1 : (x1 + round - 1) / round * round;
  strips.count = std::max<Index>(1, (end - x0 + step - 1) / step);
  strips.first = x0 - margin;
  strips.last = end + margin - strip_width;
  if (strips.count == 1 && strips.first + strip_width <= known) strips.last = strips.first;
  return strips;
}

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
