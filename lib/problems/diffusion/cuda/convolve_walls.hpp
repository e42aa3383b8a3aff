// The frame of cells near walls, for the CUDA kernels of lib/problems/diffusion/convolve_kernels.hpp: a block takes a
// small tile of it through all steps of a pass in shared memory, with the walls as `update_at_wall` has them.
// Any wall, any mask, 2D.
#pragma once

#include "gpu/block_kernel.hpp"
#include "lib/problems/diffusion/convolve_kernels.hpp"

namespace halocline::diffusion {

struct Rectangle {
  Index y0 = 0, y1 = 0, x0 = 0, x1 = 0;
  HALOCLINE_HD Index size() const { return y1 > y0 && x1 > x0 ? (y1 - y0) * (x1 - x0) : 0; }
  HALOCLINE_HD bool holds(Index y, Index x) const { return y >= y0 && y < y1 && x >= x0 && x < x1; }
};

// One pass over memory: steps [level, level + steps) of a run, for `cells` of the last of them; walls keep records for
// own cells in the rows `own`.
struct Pass {
  SlabBox cells;
  Rows own;
  int level, steps;
};

// A rectangle cut into tiles.
struct Band {
  Rectangle area;
  Index tile_rows = 1, tile_columns = 1;
  HALOCLINE_HD Index across() const { return (area.x1 - area.x0 + tile_columns - 1) / tile_columns; }
  HALOCLINE_HD Index tiles() const {
    return area.size() == 0 ? 0 : across() * ((area.y1 - area.y0 + tile_rows - 1) / tile_rows);
  }
  HALOCLINE_HD Rectangle tile(Index n) const {
    const Index y = area.y0 + n / across() * tile_rows, x = area.x0 + n % across() * tile_columns;
    return {y, y + tile_rows < area.y1 ? y + tile_rows : area.y1, x,
            x + tile_columns < area.x1 ? x + tile_columns : area.x1};
  }
};

// What a pass computes: `inner`, which no wall across x can reach, and up to four bands along affine walls.
struct Frame {
  Rectangle inner;
  Band bands[4];
  Index tiles = 0;
  int window = 0;  // values of one of the two buffers of a tile
};

template <class T>
HALOCLINE_HD bool affine(const ConvolveBlock<T>& b, int axis, int side) {
  return b.walls[axis][side].kind == WallKind::affine;
}

// `left`, `right`: least width of the bands across x, at least the reach of a pass: how far a cell sees in its steps,
// and one further where the first cells of walls are held at values of their own. `across_y`: whether cells near walls
// across y are part of it; else they are inner ones, and bands across x have all rows.
template <class T>
Frame make_frame(const ConvolveBlock<T>& b, const Pass& pass, Index reach, Index left, Index right, bool across_y) {
  const auto clamp = [](Index v, Index lo, Index hi) { return v < lo ? lo : v > hi ? hi : v; };
  const Rows columns = pass.cells.along_x;
  const Index lo = pass.cells.rows.lo, hi = pass.cells.rows.hi, along = 32, wide = left > right ? left : right;
  // Where y is periodic a row stands once in a window.
  const bool ring = b.walls[1][0].kind == WallKind::periodic;
  const Index up = ring ? clamp(b.extent[1] - 2 * reach, 1, along) : along;
  Frame f;
  f.inner.y0 = across_y && affine(b, 1, 0) ? clamp(reach, lo, hi) : lo;
  f.inner.y1 = across_y && affine(b, 1, 1) ? clamp(b.extent[1] - reach, f.inner.y0, hi) : hi;
  f.inner.x0 = affine(b, 0, 0) ? clamp(left, columns.lo, columns.hi) : columns.lo;
  f.inner.x1 = affine(b, 0, 1) ? clamp(b.extent[0] - right, f.inner.x0, columns.hi) : columns.hi;
  f.bands[0] = {{lo, f.inner.y0, columns.lo, columns.hi}, reach, along};
  f.bands[1] = {{f.inner.y1, hi, columns.lo, columns.hi}, reach, along};
  f.bands[2] = {{f.inner.y0, f.inner.y1, columns.lo, f.inner.x0}, up, wide};
  f.bands[3] = {{f.inner.y0, f.inner.y1, f.inner.x1, columns.hi}, up, wide};
  for (const Band& band : f.bands) f.tiles += band.tiles();
  f.window = static_cast<int>((along + 2 * reach + 8) * (wide + 2 * reach + 8));
  return f;
}

// The state of a window in shared memory, ghosts included. Places beyond a periodic side stand for those on the other
// side.
template <class T>
struct WindowCells {
  T* v;
  Rectangle window;
  int width, ny, nx;
  HALOCLINE_HD T* place(Index y, Index x) const {
    y += y < window.y0 ? ny : y >= window.y1 ? -ny : 0;
    x += x < window.x0 ? nx : x >= window.x1 ? -nx : 0;
    return v + static_cast<int>(y - window.y0) * width + static_cast<int>(x - window.x0);
  }
  HALOCLINE_HD T operator()(Index /*z*/, Index y, Index x) const { return *place(y, x); }
};

// `r` grown by `by`, but not beyond affine walls.
template <class T>
HALOCLINE_HD Rectangle grown(const ConvolveBlock<T>& b, Rectangle r, Index by) {
  r = {r.y0 - by, r.y1 + by, r.x0 - by, r.x1 + by};
  if (affine(b, 0, 0) && r.x0 < 0) r.x0 = 0;
  if (affine(b, 0, 1) && r.x1 > b.extent[0]) r.x1 = b.extent[0];
  if (affine(b, 1, 0) && r.y0 < 0) r.y0 = 0;
  if (affine(b, 1, 1) && r.y1 > b.extent[1]) r.y1 = b.extent[1];
  return r;
}
HALOCLINE_HD inline Rectangle common(const Rectangle& a, const Rectangle& b) {
  return {a.y0 > b.y0 ? a.y0 : b.y0, a.y1 < b.y1 ? a.y1 : b.y1, a.x0 > b.x0 ? a.x0 : b.x0, a.x1 < b.x1 ? a.x1 : b.x1};
}

// A place beyond a periodic side, inside; what lies beyond open sides stays what it is.
template <class T>
HALOCLINE_HD Index inside(const ConvolveBlock<T>& b, int axis, Index i) {
  if (b.walls[axis][0].kind != WallKind::periodic) return i;
  return i < 0 ? i + b.extent[axis] : i >= b.extent[axis] ? i - b.extent[axis] : i;
}

// Cells within `reach` of the affine walls (n = 0 to 3: y low and high, x low and high) of a block, or, with negative
// reach, as many ghosts beyond; without those of smaller n.
template <class T>
HALOCLINE_HD Rectangle along_wall(const ConvolveBlock<T>& b, const Rectangle& all, int n, Index reach) {
  const int axis = n < 2 ? 1 : 0, side = n % 2;
  const Index size = b.extent[axis], in = reach > 0 ? reach : 0, out = reach < 0 ? -reach : 0;
  Rectangle r = all;
  if (!affine(b, axis, side)) return {};
  if (axis == 1) {
    const Index from = affine(b, 1, 0) && size - in < in ? in : size - in;  // both walls reach the same rows
    return common(all, side == 0 ? Rectangle{-out, in, all.x0, all.x1} : Rectangle{from, size + out, all.x0, all.x1});
  }
  if (affine(b, 1, 0) && r.y0 < in) r.y0 = in;
  if (affine(b, 1, 1) && r.y1 > b.extent[1] - in) r.y1 = b.extent[1] - in;
  return common(r, side == 0 ? Rectangle{r.y0, r.y1, -out, in} : Rectangle{r.y0, r.y1, size - in, size + out});
}

// f(y, x) for every place of a rectangle, shared out to the threads of a one-dimensional block.
template <class F>
__device__ void for_places(const Rectangle& r, const F& f) {
  const int width = static_cast<int>(r.x1 - r.x0), size = static_cast<int>(r.size());
  for (int n = static_cast<int>(threadIdx.x); n < size; n += static_cast<int>(blockDim.x))
    f(r.y0 + n / width, r.x0 + n % width);
}

// Takes the cells `own` through a pass. By all threads of a one-dimensional block.
template <MaskKind K, class T>
__device__ void compute_tile(const ConvolveBlock<T>& b, const ConvolveMask<T>& m, const Pass& pass,
                             const Rectangle& own, T* buffer, int window_values) {
  const int radius = m.radius[0] > m.radius[1] ? m.radius[0] : m.radius[1];
  const Index reach = static_cast<Index>(radius) * pass.steps;
  const Rectangle state = grown(b, own, reach);
  const Rectangle window{affine(b, 1, 0) && own.y0 <= reach ? -radius : state.y0,
                         affine(b, 1, 1) && own.y1 >= b.extent[1] - reach ? b.extent[1] + radius : state.y1,
                         affine(b, 0, 0) && own.x0 <= reach ? -radius : state.x0,
                         affine(b, 0, 1) && own.x1 >= b.extent[0] - reach ? b.extent[0] + radius : state.x1};
  const Rectangle recording{pass.own.lo, pass.own.hi, 0, b.extent[0]};
  bool recorded = false;
  for (int n = 0; n < 4; ++n) recorded = recorded || b.walls[n / 2][n % 2].uptake;
  WindowCells<T> cells{buffer, window, static_cast<int>(window.x1 - window.x0), static_cast<int>(b.extent[1]),
                       static_cast<int>(b.extent[0])};
  for_places(state, [&](Index y, Index x) { *cells.place(y, x) = b.c[b.offset(0, inside(b, 1, y), inside(b, 0, x))]; });
  for (int step = 0; step < pass.steps; ++step) {
    const Index level = pass.level + step;
    __syncthreads();
    for (int n = 0; n < 4; ++n)
      for_places(along_wall(b, state, n, 1), [&](Index y, Index x) {
        *cells.place(y, x) = held(b, level, cells, 0, inside(b, 1, y), inside(b, 0, x));
      });
    __syncthreads();
    for (int n = 0; n < 4; ++n)
      for_places(along_wall(b, window, n, -radius), [&](Index y, Index x) {
        *cells.place(y, x) = value(b, level, cells, 0, inside(b, 1, y), inside(b, 0, x));
      });
    __syncthreads();
    const auto at = [&](Index y, Index x) { return Cells<T>{cells.place(y, x), cells.width, 0}; };
    for (int n = 0; n < 4 && recorded; ++n)
      for_places(along_wall(b, common(own, recording), n, radius),
                 [&](Index y, Index x) { record_uptake(b, m, at(y, x), 0, y, x); });
    const bool last = step == pass.steps - 1;
    WindowCells<T> next = cells;
    next.v = buffer + (step % 2 == 0 ? window_values : 0);
    for_places(grown(b, own, reach - static_cast<Index>(radius) * (step + 1)), [&](Index y, Index x) {
      *(last ? b.next + b.offset(0, y, x) : next.place(y, x)) = update<K>(m, at(y, x));
    });
    cells = next;
  }
}

// Tile number n of a frame.
template <MaskKind K, class T>
__device__ void compute_frame_tile(const ConvolveBlock<T>& b, const ConvolveMask<T>& m, const Pass& pass,
                                   const Frame& frame, Index n) {
  int band = 0;
  while (n >= frame.bands[band].tiles()) n -= frame.bands[band++].tiles();
  compute_tile<K>(b, m, pass, frame.bands[band].tile(n), dynamic_shared<T>(), frame.window);
}

}  // namespace halocline::diffusion
