// Cells of a block that walls reach: where they are, and, in 3D, one step of them. Most are near one wall alone, and
// need not ask about others.
#pragma once

#include <algorithm>

#include "lib/base/view.hpp"
#include "lib/problems/diffusion/convolve_kernels.hpp"

namespace halocline::diffusion {

// A cell, and the wall at which its box is.
struct ShellPlace {
  int axis, side;
  Index z, y, x;
};

// Rows (planes) of a block, or a box of its cells, as a box of those that no wall reaches, and two boxes at walls of
// each axis, some of them empty.
struct Shell {
  Range<3> inner;        // z, y, x
  Range<3> boxes[3][2];  // at walls of z, y, x, low and high; those of z go to the ends of y and x, those of y to x's
  HALOCLINE_HD Index cells() const {
    Index sum = 0;
    for (const auto& axis : boxes) sum += axis[0].size() + axis[1].size();
    return sum;
  }
  // The n-th cell of the boxes.
  HALOCLINE_HD ShellPlace place(Index n) const {
    int k = 0;
    while (n >= boxes[k / 2][k % 2].size()) n -= boxes[k / 2][k % 2].size(), ++k;
    const Range<3>& box = boxes[k / 2][k % 2];
    const Index row = box.extent(2), plane = box.extent(1) * row;
    return {2 - k / 2, k % 2, box.lo[0] + n / plane, box.lo[1] + n % plane / row, box.lo[2] + n % row};
  }
};
template <class T>
Shell make_shell_of(const ConvolveBlock<T>& b, const ConvolveMask<T>& m, const SlabBox& cells) {
  Shell shell{};
  const bool deep = b.dimensions == 3;
  const Rows z = deep ? cells.rows : Rows{0, 1}, y = deep ? cells.along_y : cells.rows;
  Range<3> rest{{z.lo, y.lo, 0}, {z.hi, y.hi, b.extent[0]}};
  for (int n = 3 - b.dimensions; n < 3; ++n) {
    const int axis = 2 - n;
    Index lo = rest.lo[n], hi = rest.hi[n];
    if (b.walls[axis][0].kind != WallKind::open) lo = std::clamp(near_wall(b, m, axis, 0), lo, hi);
    if (b.walls[axis][1].kind != WallKind::open) hi = std::clamp(b.extent[axis] - near_wall(b, m, axis, 1), lo, hi);
    Range<3>&low = shell.boxes[n][0], &high = shell.boxes[n][1];
    low = high = rest;
    low.hi[n] = rest.lo[n] = lo;
    high.lo[n] = rest.hi[n] = hi;
  }
  shell.inner = rest;
  return shell;
}
template <class T>
Shell make_shell(const ConvolveBlock<T>& b, const ConvolveMask<T>& m, Rows rows) {
  return make_shell_of(b, m, b.box(rows));
}

// Neighbors of a cell that a wall across Axis reaches and no other: what value() says.
template <int Axis, class T>
struct BesideWall {
  const ConvolveBlock<T>& b;
  const WallRule<T>& wall;
  bool low;  // which side
  Index level;
  Index z, y, x;

  // Beyond the wall: how far, from 0; inside: below 0.
  HALOCLINE_HD Index ring(int dz, int dy, int dx) const {
    const Index p = Axis == 0 ? x + dx : Axis == 1 ? y + dy : z + dz;
    return low ? -1 - p : p - b.extent[Axis];
  }
  // In the tables of the wall.
  HALOCLINE_HD Index place(Index ring, int dz, int dy, int dx) const {
    return wall.at(ring, Axis == 2 ? y + dy : z + dz, Axis == 0 ? y + dy : x + dx);
  }
  HALOCLINE_HD T operator()(int dz, int dy, int dx) const {
    const Index stride = Axis == 0 ? 1 : Axis == 1 ? b.pitch : b.plane;
    const Index inward = low ? stride : -stride, beyond = ring(dz, dy, dx);
    const T* cell = b.c + b.offset(z + dz, y + dy, x + dx);
    if (beyond >= 0 && wall.kind == WallKind::periodic) return cell[b.extent[Axis] * inward];
    const Index depth = beyond < 0 ? -1 - beyond : wall.repeat ? 0 : beyond;  // of the cell inside that counts
    T v = cell[beyond < 0 ? 0 : (beyond + 1 + depth) * inward];
    if (wall.fixed && depth == 0) {
      const T fixed = wall.fixed[level * wall.fixed_level + place(0, dz, dy, dx)];
      if (fixed == fixed) v = fixed;
    }
    if (beyond < 0) return v;
    const Index at = place(beyond, dz, dy, dx);
    return fma(wall.alpha[at], v, wall.beta[level * wall.beta_level + at]);
  }
  // As record_uptake().
  HALOCLINE_HD void record(const ConvolveMask<T>& m, double share = 1) const {
    const Index own = -1 - ring(0, 0, 0);
    if (!wall.uptake || own >= m.radius[Axis]) return;
    double gain = 0;
    const double c = (*this)(0, 0, 0);
    const T* w = m.weights;
    for (int dz = -m.radius[2]; dz <= m.radius[2]; ++dz)
      for (int dy = -m.radius[1]; dy <= m.radius[1]; ++dy)
        for (int dx = -m.radius[0]; dx <= m.radius[0]; ++dx, ++w)
          if (*w != 0 && ring(dz, dy, dx) >= 0) gain = fma(double(*w), double((*this)(dz, dy, dx)) - c, gain);
    add_uptake(wall, place(own, 0, 0, 0), share * gain);
  }
};

// Whether a place of a shell is clear of the walls of an axis, but for `side`.
template <int Axis, class T>
HALOCLINE_HD bool clear_of_walls(const ConvolveBlock<T>& b, const ConvolveMask<T>& m, int side, Index position) {
  if (side != 0 && b.walls[Axis][0].kind != WallKind::open && position < near_wall(b, m, Axis, 0)) return false;
  return side == 1 || b.walls[Axis][1].kind == WallKind::open || position < b.extent[Axis] - near_wall(b, m, Axis, 1);
}
// Whether it is at a wall across Axis and no other is near.
template <int Axis, class T>
HALOCLINE_HD bool alone_at_wall(const ConvolveBlock<T>& b, const ConvolveMask<T>& m, const ShellPlace& p) {
  return p.axis == Axis && clear_of_walls<0>(b, m, Axis == 0 ? p.side : -1, p.x) &&
         clear_of_walls<1>(b, m, Axis == 1 ? p.side : -1, p.y) &&
         (b.dimensions < 3 || clear_of_walls<2>(b, m, Axis == 2 ? p.side : -1, p.z));
}

// What a loop has asked for around a cell, of masks of radius 1: how a neighbor is found then stands in the text of a
// kernel once, not 27 times.
template <class T>
struct Gathered {
  T values[27];
  template <class At>
  HALOCLINE_HD Gathered(const ConvolveMask<T>& m, const At& at) {
    T* next = values;
    for (int dz = -m.radius[2]; dz <= m.radius[2]; ++dz)
      for (int dy = -m.radius[1]; dy <= m.radius[1]; ++dy)
        for (int dx = -m.radius[0]; dx <= m.radius[0]; ++dx) *next++ = at(dz, dy, dx);
  }
  HALOCLINE_HD T operator()(int dz, int dy, int dx) const { return values[9 * dz + 3 * dy + dx + 13]; }
};

// update() of a cell whose neighbors take long to find.
template <MaskKind K, class T, class At>
HALOCLINE_HD inline T update_slowly(const ConvolveMask<T>& m, const At& at) {
  if constexpr (K == MaskKind::box19 || K == MaskKind::box27) {
    return update<K>(m, Gathered<T>(m, at));
  } else {
    return update<K>(m, at);
  }
}

// One cell of the boxes of a shell, counted through all of them.
template <MaskKind K, class T>
struct ShellCell {
  ConvolveBlock<T> b;
  ConvolveMask<T> mask;
  Index level;
  Shell shell;

  HALOCLINE_HD void operator()(Index n) const {
    const ShellPlace at = shell.place(n);
    const bool own = at.z >= 0 && at.z < b.extent[2] && at.y >= 0 && at.y < b.extent[1];
    T& next = b.next[b.offset(at.z, at.y, at.x)];
    if (alone_at_wall<0>(b, mask, at)) {
      next = beside<0>(at, own);
    } else if (alone_at_wall<1>(b, mask, at)) {
      next = beside<1>(at, own);
    } else if (alone_at_wall<2>(b, mask, at)) {
      next = beside<2>(at, own);
    } else {
      const Cells<T> cells{b.c, b.pitch, b.plane};
      const Neighbors<T, Cells<T>> neighbors{b, level, cells, at.z, at.y, at.x};
      if (own) record_uptake(b, mask, neighbors, at.z, at.y, at.x);
      next = update_slowly<K>(mask, neighbors);
    }
  }

 private:
  template <int Axis>
  HALOCLINE_HD T beside(const ShellPlace& p, bool own) const {
    const BesideWall<Axis, T> at{b, b.walls[Axis][p.side], p.side == 0, level, p.z, p.y, p.x};
    if (own) at.record(mask);
    return update_slowly<K>(mask, at);
  }
};

}  // namespace halocline::diffusion
