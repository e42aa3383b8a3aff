// The cells of a part that neighbors wait for, and those that are computed while these travel.
#pragma once

#include <algorithm>
#include <span>

#include "lib/problems/diffusion/convolve_kernels.hpp"

namespace halocline::diffusion {

struct EdgesAndInside {
  SlabBox edges[4];  // next to open sides, without overlap; the first `count`
  int count = 0;
  SlabBox inside;  // perhaps none
  std::span<const SlabBox> outer() const { return {edges, static_cast<std::size_t>(count)}; }
};

inline Index size_of(const SlabRows& rows) { return std::max<Index>(0, rows.hi - rows.lo); }
inline Index cells_of(const SlabBox& box) { return size_of(box.rows) * size_of(box.along_y) * size_of(box.along_x); }
inline bool empty(const SlabBox& box) { return cells_of(box) == 0; }

/// `reach`: rows and columns that neighbors wait for; edges are whole pieces of lines. Boxes of which less than `least`
/// would be inside are computed as a whole first: thin pieces cost more than they hide.
template <class T>
EdgesAndInside split_edges(const ConvolveBlock<T>& b, Index reach, double least = 0.25) {
  EdgesAndInside cells;
  cells.inside = b.box(b.rows());
  const Index all = cells_of(cells.inside);
  const auto open = [&](int axis, int side) { return b.walls[axis][side].kind == WallKind::open; };
  const auto cut_off = [&](SlabRows SlabBox::*along, int axis) {
    const SlabRows own = cells.inside.*along;
    const Index whole = axis == 0 ? line_piece : 1;  // tiles and strips begin with lines of caches
    const Index lo = open(axis, 0) ? std::min(own.lo + (reach + whole - 1) / whole * whole, own.hi) : own.lo;
    const Index hi = open(axis, 1) ? std::max((own.hi - reach) / whole * whole, lo) : own.hi;
    for (const SlabRows piece : {SlabRows{own.lo, lo}, SlabRows{hi, own.hi}}) {
      SlabBox edge = cells.inside;
      edge.*along = piece;
      if (!empty(edge)) cells.edges[cells.count++] = edge;
    }
    cells.inside.*along = {lo, hi};
  };
  const int across = b.slow_axis() - 1;
  cut_off(&SlabBox::rows, b.slow_axis());
  if (!(open(across, 0) || open(across, 1))) return cells;
  cut_off(across == 1 ? &SlabBox::along_y : &SlabBox::along_x, across);
  if (static_cast<double>(cells_of(cells.inside)) >= least * static_cast<double>(all)) return cells;
  cells.edges[0] = b.box(b.rows());
  cells.count = all > 0 ? 1 : 0;
  cells.inside.rows = {b.slow_extent(), b.slow_extent()};
  return cells;
}

}  // namespace halocline::diffusion
