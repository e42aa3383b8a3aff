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

inline bool empty(const SlabBox& box) { return box.rows.lo >= box.rows.hi || box.along_y.lo >= box.along_y.hi; }
inline Index lines_of(const SlabBox& box) {
  return empty(box) ? 0 : (box.rows.hi - box.rows.lo) * (box.along_y.hi - box.along_y.lo);
}

/// `reach`: rows that neighbors wait for. Parts with neighbors along y of which less than `least` would be inside are
/// computed as a whole first: thin pieces cost more than they hide.
template <class T>
EdgesAndInside split_edges(const ConvolveBlock<T>& b, Index reach, double least = 0.25) {
  EdgesAndInside cells;
  cells.inside = b.box(b.rows());
  const Index all = lines_of(cells.inside);
  const auto open = [&](int axis, int side) { return b.walls[axis][side].kind == WallKind::open; };
  const auto cut_off = [&](SlabRows SlabBox::*along, int axis) {
    const SlabRows own = cells.inside.*along;
    const Index lo = open(axis, 0) ? std::min(own.lo + reach, own.hi) : own.lo;
    const Index hi = open(axis, 1) ? std::max(own.hi - reach, lo) : own.hi;
    for (const SlabRows piece : {SlabRows{own.lo, lo}, SlabRows{hi, own.hi}}) {
      SlabBox edge = cells.inside;
      edge.*along = piece;
      if (!empty(edge)) cells.edges[cells.count++] = edge;
    }
    cells.inside.*along = {lo, hi};
  };
  cut_off(&SlabBox::rows, b.slow_axis());
  if (b.dimensions < 3 || !(open(1, 0) || open(1, 1))) return cells;
  cut_off(&SlabBox::along_y, 1);
  if (static_cast<double>(lines_of(cells.inside)) >= least * static_cast<double>(all)) return cells;
  cells.edges[0] = b.box(b.rows());
  cells.count = all > 0 ? 1 : 0;
  cells.inside.rows = {b.slow_extent(), b.slow_extent()};
  return cells;
}

}  // namespace halocline::diffusion
