// Bodies for gpu/launch.hpp: one step, row by row on the host and cell by cell on a GPU. Traffic of a step: c read once
// (neighboring rows from cache), next written once: 16 bytes a cell, 24 where the written line is read first.
#pragma once

#include "lib/problems/diffusion/convolve_kernels.hpp"

namespace halocline::diffusion {

// Neighbors of a cell away from walls, by distance in memory.
template <class T>
struct InnerNeighbors {
  const T* c;
  Index pitch, plane;
  HALOCLINE_HD T operator()(int dz, int dy, int dx) const { return c[dz * plane + dy * pitch + dx]; }
};

// Neighbors as differences from the cell itself.
template <class At>
struct Differences {
  const At& at;
  double c;
  HALOCLINE_HD [[gnu::always_inline]] inline double operator()(int dz, int dy, int dx) const {
    return dz == 0 && dy == 0 && dx == 0 ? 0.0 : at(dz, dy, dx) - c;
  }
};

// Whether a row belongs to the part, not to its halo.
template <class T>
HALOCLINE_HD inline bool own_row(const ConvolveBlock<T>& b, Index z, Index y) {
  return z >= 0 && z < b.extent[2] && y >= 0 && y < b.extent[1];
}

// A whole row, on the host.
template <MaskKind K, class T>
struct StepRow {
  ConvolveBlock<T> b;
  ConvolveMask<T> mask;
  Index level;

  HALOCLINE_HD void operator()(Index z, Index y) const {
    const Cells<T> cells{b.c, b.pitch, b.plane};
    const Index n = b.extent[0];
    T* out = b.next + b.offset(z, y, 0);
    const bool own = own_row(b, z, y), near = row_near_wall(b, mask, z, y);
    const Index from = near ? n : near_wall(b, mask, 0, 0);
    const Index to = near ? n : n - near_wall(b, mask, 0, 1);
    for (Index x = 0; x < from; ++x) out[x] = update_at_wall<K>(b, mask, level, cells, z, y, x, own);
    const T* in = b.c + b.offset(z, y, 0);
    const ConvolveMask<T> m = mask;  // a copy that no store can change
#pragma omp simd
    for (Index x = from; x < to; ++x) out[x] = update<K>(m, InnerNeighbors<T>{in + x, b.pitch, b.plane});
    for (Index x = to; x < n; ++x) out[x] = update_at_wall<K>(b, mask, level, cells, z, y, x, own);
  }
};

// One cell, on a GPU.
template <MaskKind K, class T>
struct StepCell {
  ConvolveBlock<T> b;
  ConvolveMask<T> mask;
  Index level;

  HALOCLINE_HD void operator()(Index z, Index y, Index x) const {
    const Index place = b.offset(z, y, x);
    const bool inner =
        x >= near_wall(b, mask, 0, 0) && x < b.extent[0] - near_wall(b, mask, 0, 1) && !row_near_wall(b, mask, z, y);
    b.next[place] = inner
                        ? update<K>(mask, InnerNeighbors<T>{b.c + place, b.pitch, b.plane})
                        : update_at_wall<K>(b, mask, level, Cells<T>{b.c, b.pitch, b.plane}, z, y, x, own_row(b, z, y));
  }
};

// A row of a plane.
template <MaskKind K, class T>
struct FlatRow {
  StepRow<K, T> row;
  HALOCLINE_HD void operator()(Index y) const { row(0, y); }
};

}  // namespace halocline::diffusion
