// Blocking: how the host cuts a part into tiles (tile_pass.hpp), from the caches of the processor.
#pragma once

#include <vector>

#include "lib/problems/diffusion/host/tile_pass.hpp"
#include "lib/problems/diffusion/sweep.hpp"

namespace halocline::diffusion {

// Bytes of cache: of the second level, which a core has to itself, and of the last.
struct Caches {
  std::size_t second, last;
};
// As the system tells; usual sizes where it does not.
Caches read_caches();

struct Blocking {
  int steps = 1;     // of a sweep
  Index width = 0;   // most columns of a tile; whole lines of the cache
  Index height = 1;  // most rows of a tile along y, 3D
  Index edge_x = 0;  // columns cut off as tiles of their own next to walls, so that all others read the old array in
  Index edge_m = 0;  // place; rows along y, 3D; 0: none
  bool past_caches = false;
};

// For sweeps of shape.steps steps, or as many as pay where that is 0. The rings of all steps of a tile fit the second
// cache.
Blocking choose_blocking(const SweepShape& shape, const Caches& caches);

// Cuts cells of a part, whose first column begins a line, into tiles for `threads` threads. Tiles of one thread's share
// of the rows follow each other; `even`: every thread gets the same share.
struct Tiling {
  std::vector<Tile> tiles;
  bool even = true;
};
Tiling cut_tiles(const Blocking& blocking, int dimensions, int radius, int steps, const SlabBox& cells, int threads,
                 Index line);

}  // namespace halocline::diffusion
