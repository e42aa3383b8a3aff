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

// Columns of a row that no wall across x is near.
template <class T>
HALOCLINE_HD inline SlabRows clear_columns(const ConvolveBlock<T>& b, const ConvolveMask<T>& m, SlabRows columns) {
  const WallRule<T>(&walls)[2] = b.walls[0];
  const Index low = near_wall(b, m, 0, 0), high = b.extent[0] - near_wall(b, m, 0, 1);
  if (walls[0].kind != WallKind::open && columns.lo < low) columns.lo = low;
  if (walls[1].kind != WallKind::open && columns.hi > high) columns.hi = high;
  return columns;
}

// Columns of a row, on the host.
template <MaskKind K, class T>
struct StepRow {
  ConvolveBlock<T> b;
  ConvolveMask<T> mask;
  Index level;
  SlabRows columns;

  HALOCLINE_HD void operator()(Index z, Index y) const {
    const Cells<T> cells{b.c, b.pitch, b.plane};
    T* out = b.next + b.offset(z, y, 0);
    const bool own = own_row(b, z, y);
    const SlabRows clear = clear_columns(b, mask, columns);
    const bool none = clear.lo >= clear.hi || row_near_wall(b, mask, z, y);
    const Index from = none ? columns.hi : clear.lo, to = none ? columns.hi : clear.hi;
    const auto at_wall = [&](Index x) {
      const bool counts = own && x >= 0 && x < b.extent[0];
      out[x] = update_at_wall<K>(b, mask, level, cells, z, y, x, counts);
    };
    for (Index x = columns.lo; x < from; ++x) at_wall(x);
    const T* in = b.c + b.offset(z, y, 0);
    const ConvolveMask<T> m = mask;  // a copy that no store can change
#pragma omp simd
    for (Index x = from; x < to; ++x) out[x] = update<K>(m, InnerNeighbors<T>{in + x, b.pitch, b.plane});
    for (Index x = to; x < columns.hi; ++x) at_wall(x);
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
    const SlabRows clear = clear_columns(b, mask, {x, x + 1});
    const bool inner = clear.lo < clear.hi && !row_near_wall(b, mask, z, y);
    const bool own = own_row(b, z, y) && x >= 0 && x < b.extent[0];
    b.next[place] = inner ? update<K>(mask, InnerNeighbors<T>{b.c + place, b.pitch, b.plane})
                          : update_at_wall<K>(b, mask, level, Cells<T>{b.c, b.pitch, b.plane}, z, y, x, own);
  }
};

// A row of a plane.
template <MaskKind K, class T>
struct FlatRow {
  StepRow<K, T> row;
  HALOCLINE_HD void operator()(Index y) const { row(0, y); }
};

}  // namespace halocline::diffusion
