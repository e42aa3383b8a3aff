// Explicit steps with a stencil on a box of cells: the data that all kernels share, and the one update of a cell.
//
// c_new = c + dt sum_m w_m c_m, with ghost values beyond walls computed on the fly, never stored. Every implementation
// (reference, blocked on the host, CUDA) calls `update` or `update_at_wall` with values it reads its own way; they use
// sums and explicit fma only, so equal inputs give equal bits wherever the processor has fma.
//
// Arrays lie as lib/fields/slab_layout.hpp says; rows are whole 64 bytes apart, and no multiple of 4 KiB.
#pragma once

#include "lib/base/fma.hpp"
#include "lib/base/types.hpp"
#include "lib/fields/slab_layout.hpp"

namespace halocline::diffusion {

enum class MaskKind : int { star5, star5_xy, star7, box9, box9_xy, box19, box27, cross9, cross13, general };

// Weights times dt D (or dt). k by kind, x, y, z in this order, edges before corners:
//   star5 {k}  star5_xy {x, y}  star7 {x, y, z}  box9 {edges, corners}  box9_xy {x, y, xy}
//   box19 {x, y, z, xy, xz, yz}  box27 {..., xyz}  cross9 {x/12, y/12}  cross13 {x/12, y/12, z/12}
//   general {weights} where there are at most 27
// `weights` (device memory, (2rz+1)(2ry+1)(2rx+1) values, x fastest) are the same mask in full, for every kind.
template <class T>
struct ConvolveMask {
  MaskKind kind = MaskKind::star5;
  int radius[3] = {1, 1, 0};  // x, y, z
  T k[27] = {};
  T sum = 0;  // of all weights: 0 for a Laplacian; read by kind `general` only
  const T* weights = nullptr;
};

// What lies beyond one side of a block.
enum class WallKind : int {
  affine,    // ghosts from cells inside, below
  periodic,  // cell k from the other side, which is in memory
  open       // rows of another part (or of this one, if periodic), in memory as halo
};

// Ring k (0 next to the wall) at a position along the wall holds alpha c(source) + beta, source being cell k inside
// (true mirror) or with `repeat` the first cell. A position is (slow, fast) of the other two axes: (z, y) for x walls,
// (z, x) for y walls, (y, x) for z walls; it may lie up to the mask's radius outside the block (and on rows of the
// halo): ghosts are taken in x first, then y, then z, each from values that already have the former.
template <class T>
struct WallRule {
  WallKind kind = WallKind::affine;
  bool repeat = false;
  Index ring = 0, slow = 0;  // alpha[k * ring + s * slow + f]; the pointers show to ring 0, position (0, 0)
  const T* alpha = nullptr;  // dirichlet -1, no_flux 1
  const T* beta = nullptr;   // dirichlet 2 g, no_flux 0; of step n of a sweep: beta[n * beta_level + ...]
  Index beta_level = 0;      // 0 when walls do not change with time
  const T* fixed = nullptr;  // null, or NaN (free) or the value that the first cell takes before every step,
  Index fixed_level = 0;     // at fixed[n * fixed_level + s * slow + f]
  double* uptake = nullptr;  // null, or what cell number `ring` from the wall at a position has gained through the
  double* carry = nullptr;   // wall: sum over steps of weight (ghost - cell), and its compensation; own cells alone
  HALOCLINE_HD Index at(Index k, Index s, Index f) const { return k * ring + s * slow + f; }
};

// One part. Views of device memory, passed to kernels by value.
template <class T>
struct ConvolveBlock : SlabLayout {
  T* c = nullptr;           // cell (0, 0, 0) of the old state; aligned to 64 bytes
  T* next = nullptr;        // of the new one
  WallRule<T> walls[3][2];  // [axis][low, high]
};

// Values in memory of an array (old state) of a block: at(z, y, x) of a cell inside or in the halo. Kernels that keep
// rows elsewhere (ring buffers, shared memory) bring their own type with this call.
template <class T>
struct Cells {
  const T* c;
  Index pitch, plane;
  HALOCLINE_HD T operator()(Index z, Index y, Index x) const { return c[z * plane + y * pitch + x]; }
};

// c + the mask of kind `general` applied, weight by weight. radius: of x, y, z.
template <class T, class Radius, class At>
HALOCLINE_HD inline T add_weighted(const ConvolveMask<T>& m, const T* weights, const Radius& radius, const At& at) {
  const T c = at(0, 0, 0);
  T sum = fma(m.sum, c, c);
  for (int dz = -radius[2]; dz <= radius[2]; ++dz)
    for (int dy = -radius[1]; dy <= radius[1]; ++dy)
      for (int dx = -radius[0]; dx <= radius[0]; ++dx) sum = fma(*weights++, at(dz, dy, dx) - c, sum);
  return sum;
}

// c + the mask applied, from at(dz, dy, dx) = value of the neighbor. The order of operations is part of the contract.
// Inlined always: a loop that calls is not made for vector units.
template <MaskKind K, class T, class At>
HALOCLINE_HD [[gnu::always_inline]] inline T update(const ConvolveMask<T>& m, const At& at) {
  const T c = at(0, 0, 0), two = -2, four = -4, eight = -8, sixteen = 16;
  if constexpr (K == MaskKind::star5) {
    return fma(m.k[0], fma(four, c, (at(0, 0, -1) + at(0, 0, 1)) + (at(0, -1, 0) + at(0, 1, 0))), c);
  } else if constexpr (K == MaskKind::star5_xy) {
    const T x = fma(m.k[0], fma(two, c, at(0, 0, -1) + at(0, 0, 1)), c);
    return fma(m.k[1], fma(two, c, at(0, -1, 0) + at(0, 1, 0)), x);
  } else if constexpr (K == MaskKind::star7) {
    const T x = fma(m.k[0], fma(two, c, at(0, 0, -1) + at(0, 0, 1)), c);
    const T y = fma(m.k[1], fma(two, c, at(0, -1, 0) + at(0, 1, 0)), x);
    return fma(m.k[2], fma(two, c, at(-1, 0, 0) + at(1, 0, 0)), y);
  } else if constexpr (K == MaskKind::box9) {
    const T edges = fma(four, c, (at(0, 0, -1) + at(0, 0, 1)) + (at(0, -1, 0) + at(0, 1, 0)));
    const T corners = fma(four, c, (at(0, -1, -1) + at(0, -1, 1)) + (at(0, 1, -1) + at(0, 1, 1)));
    return fma(m.k[1], corners, fma(m.k[0], edges, c));
  } else if constexpr (K == MaskKind::box9_xy) {
    const T corners = fma(four, c, (at(0, -1, -1) + at(0, -1, 1)) + (at(0, 1, -1) + at(0, 1, 1)));
    const T x = fma(m.k[0], fma(two, c, at(0, 0, -1) + at(0, 0, 1)), c);
    const T y = fma(m.k[1], fma(two, c, at(0, -1, 0) + at(0, 1, 0)), x);
    return fma(m.k[2], corners, y);
  } else if constexpr (K == MaskKind::box19 || K == MaskKind::box27) {
    T sum = fma(m.k[0], fma(two, c, at(0, 0, -1) + at(0, 0, 1)), c);
    sum = fma(m.k[1], fma(two, c, at(0, -1, 0) + at(0, 1, 0)), sum);
    sum = fma(m.k[2], fma(two, c, at(-1, 0, 0) + at(1, 0, 0)), sum);
    sum = fma(m.k[3], fma(four, c, (at(0, -1, -1) + at(0, -1, 1)) + (at(0, 1, -1) + at(0, 1, 1))), sum);
    sum = fma(m.k[4], fma(four, c, (at(-1, 0, -1) + at(-1, 0, 1)) + (at(1, 0, -1) + at(1, 0, 1))), sum);
    sum = fma(m.k[5], fma(four, c, (at(-1, -1, 0) + at(-1, 1, 0)) + (at(1, -1, 0) + at(1, 1, 0))), sum);
    if constexpr (K == MaskKind::box27) {
      const T below = (at(-1, -1, -1) + at(-1, -1, 1)) + (at(-1, 1, -1) + at(-1, 1, 1));
      const T above = (at(1, -1, -1) + at(1, -1, 1)) + (at(1, 1, -1) + at(1, 1, 1));
      sum = fma(m.k[6], fma(eight, c, below + above), sum);
    }
    return sum;
  } else if constexpr (K == MaskKind::cross9 || K == MaskKind::cross13) {
    const T minus_two = fma(-two, c, -(at(0, 0, -2) + at(0, 0, 2)));
    T sum = fma(m.k[0], fma(sixteen, fma(two, c, at(0, 0, -1) + at(0, 0, 1)), minus_two), c);
    const T minus_two_y = fma(-two, c, -(at(0, -2, 0) + at(0, 2, 0)));
    sum = fma(m.k[1], fma(sixteen, fma(two, c, at(0, -1, 0) + at(0, 1, 0)), minus_two_y), sum);
    if constexpr (K == MaskKind::cross13) {
      const T minus_two_z = fma(-two, c, -(at(-2, 0, 0) + at(2, 0, 0)));
      sum = fma(m.k[2], fma(sixteen, fma(two, c, at(-1, 0, 0) + at(1, 0, 0)), minus_two_z), sum);
    }
    return sum;
  } else {
    return add_weighted(m, m.weights, m.radius, at);
  }
}

// A cell inside as the step sees it: its value, or the value it is held at. `level`: step within the sweep.
template <class T, class CellsT>
HALOCLINE_HD inline T held(const ConvolveBlock<T>& b, Index level, const CellsT& cells, Index z, Index y, Index x) {
  const Index position[3] = {x, y, z}, slow[3] = {z, z, y}, fast[3] = {y, x, x};
  for (int axis = 0; axis < b.dimensions; ++axis)
    for (int side = 0; side < 2; ++side) {
      const WallRule<T>& wall = b.walls[axis][side];
      if (!wall.fixed || position[axis] != (side == 0 ? 0 : b.extent[axis] - 1)) continue;
      const T value = wall.fixed[level * wall.fixed_level + wall.at(0, slow[axis], fast[axis])];
      if (value == value) return value;
    }
  return cells(z, y, x);
}

// The value at any place within the mask's reach of a cell: inside, in the halo, or a ghost beyond walls.
template <class T, class CellsT>
HALOCLINE_HD inline T value(const ConvolveBlock<T>& b, Index level, const CellsT& cells, Index z, Index y, Index x) {
  Index at[3] = {x, y, z};
  T alpha[3], beta[3];
  bool ghost[3] = {false, false, false};
  for (int axis = b.dimensions - 1; axis >= 0; --axis) {
    const Index n = b.extent[axis];
    if (at[axis] >= 0 && at[axis] < n) continue;
    const WallRule<T>& wall = b.walls[axis][at[axis] < 0 ? 0 : 1];
    if (wall.kind == WallKind::open) continue;
    if (wall.kind == WallKind::periodic) {
      at[axis] += at[axis] < 0 ? n : -n;
      continue;
    }
    const Index ring = at[axis] < 0 ? -1 - at[axis] : at[axis] - n;
    const Index place = axis == 0   ? wall.at(ring, at[2], at[1])
                        : axis == 1 ? wall.at(ring, at[2], at[0])
                                    : wall.at(ring, at[1], at[0]);
    ghost[axis] = true;
    alpha[axis] = wall.alpha[place];
    beta[axis] = wall.beta[level * wall.beta_level + place];
    const Index source = wall.repeat ? 0 : ring;
    at[axis] = at[axis] < 0 ? source : n - 1 - source;
  }
  T v = held(b, level, cells, at[2], at[1], at[0]);
  for (int axis = 0; axis < b.dimensions; ++axis)
    if (ghost[axis]) v = fma(alpha[axis], v, beta[axis]);
  return v;
}

// Neighbors of a cell wherever they lie.
template <class T, class CellsT>
struct Neighbors {
  const ConvolveBlock<T>& b;
  Index level;
  const CellsT& cells;
  Index z, y, x;
  HALOCLINE_HD T operator()(int dz, int dy, int dx) const { return value(b, level, cells, z + dz, y + dy, x + dx); }
};

// The wall whose ghosts lie at a place: 2 axis + side of the first axis x, y, z along which it is outside; -1: none.
template <class T>
HALOCLINE_HD inline int wall_at(const ConvolveBlock<T>& b, Index z, Index y, Index x) {
  const Index at[3] = {x, y, z};
  for (int axis = 0; axis < b.dimensions; ++axis) {
    if (at[axis] < 0 && b.walls[axis][0].kind == WallKind::affine) return 2 * axis;
    if (at[axis] >= b.extent[axis] && b.walls[axis][1].kind == WallKind::affine) return 2 * axis + 1;
  }
  return -1;
}

// Adds to a record (sums with compensation, W. Kahan, 1965).
HALOCLINE_HD inline void add_compensated(double& record, double& carry, double gain) {
  const double term = gain - carry, sum = record + term;
  carry = (sum - record) - term;
  record = sum;
}
// Adds to the record of a wall at a place.
template <class T>
HALOCLINE_HD inline void add_uptake(const WallRule<T>& wall, Index place, double gain) {
  add_compensated(wall.uptake[place], wall.carry[place], gain);
}

// Adds what a cell gains through walls in this step, times `share`, to their records.
template <class T, class At>
HALOCLINE_HD inline void record_uptake(const ConvolveBlock<T>& b, const ConvolveMask<T>& m, const At& at, Index z,
                                       Index y, Index x, double share = 1) {
  double gain[6] = {0, 0, 0, 0, 0, 0};
  const double c = at(0, 0, 0);
  const T* w = m.weights;
  for (int dz = -m.radius[2]; dz <= m.radius[2]; ++dz)
    for (int dy = -m.radius[1]; dy <= m.radius[1]; ++dy)
      for (int dx = -m.radius[0]; dx <= m.radius[0]; ++dx, ++w) {
        const int wall = *w == 0 ? -1 : wall_at(b, z + dz, y + dy, x + dx);
        if (wall >= 0) gain[wall] = fma(double(*w), double(at(dz, dy, dx)) - c, gain[wall]);
      }
  const Index position[3] = {x, y, z}, slow[3] = {z, z, y}, fast[3] = {y, x, x};
  for (int axis = 0; axis < b.dimensions; ++axis)
    for (int side = 0; side < 2; ++side) {
      const WallRule<T>& wall = b.walls[axis][side];
      const Index ring = side == 0 ? position[axis] : b.extent[axis] - 1 - position[axis];
      if (!wall.uptake || ring >= m.radius[axis]) continue;
      add_uptake(wall, wall.at(ring, slow[axis], fast[axis]), share * gain[2 * axis + side]);
    }
}

// The new value of a cell near walls. `cells`: the old state (see Cells); `level`: step within the sweep. `own`:
// whether this call is the one that counts for the walls' records: true exactly once per step for every own cell near a
// wall, false for rows of the halo and cells computed twice.
template <MaskKind K, class T, class CellsT>
HALOCLINE_HD inline T update_at_wall(const ConvolveBlock<T>& b, const ConvolveMask<T>& m, Index level,
                                     const CellsT& cells, Index z, Index y, Index x, bool own) {
  const Neighbors<T, CellsT> at{b, level, cells, z, y, x};
  if (own) record_uptake(b, m, at, z, y, x);
  return update<K>(m, at);
}

// Cells within this distance of a side need update_at_wall, all others may take `update` with values from memory: the
// mask's radius, and one more where first cells are held at given values (layout hiperc); 0 on open sides.
template <class T>
HALOCLINE_HD inline Index near_wall(const ConvolveBlock<T>& b, const ConvolveMask<T>& m, int axis, int side) {
  const WallRule<T>& wall = b.walls[axis][side];
  return wall.kind == WallKind::open ? 0 : m.radius[axis] + (wall.fixed ? 1 : 0);
}

// Whether a row (z, y) is near a wall across y or z: all its cells need update_at_wall.
template <class T>
HALOCLINE_HD inline bool row_near_wall(const ConvolveBlock<T>& b, const ConvolveMask<T>& m, Index z, Index y) {
  const Index at[3] = {0, y, z};
  for (int axis = 1; axis < b.dimensions; ++axis) {
    if (b.walls[axis][0].kind != WallKind::open && at[axis] < near_wall(b, m, axis, 0)) return true;
    if (b.walls[axis][1].kind != WallKind::open && at[axis] >= b.extent[axis] - near_wall(b, m, axis, 1)) return true;
  }
  return false;
}

using Rows = SlabRows;
// What profiles count for `rows` of a block: `arrays` of one value per cell, each read or written once.
template <class T>
double bytes_of(const ConvolveBlock<T>& b, Rows rows, int arrays) {
  return static_cast<double>(b.count(rows) * arrays) * sizeof(T);
}
// The same for a box of its cells, neighbors' included.
template <class T>
double bytes_of_box(const ConvolveBlock<T>& /*b*/, const SlabBox& box, int arrays) {
  const Index lines = (box.rows.hi - box.rows.lo) * (box.along_y.hi - box.along_y.lo);
  return static_cast<double>(lines * (box.along_x.hi - box.along_x.lo) * arrays) * sizeof(T);
}
// Those that step `level` of a sweep of `steps` computes so that its last step can compute [lo, hi): they grow by the
// radius per step across open sides and end at walls.
template <class T>
HALOCLINE_HD inline Rows grown_along(const ConvolveBlock<T>& b, int axis, Rows rows, Index more) {
  Rows r{rows.lo - more, rows.hi + more};
  if (b.walls[axis][0].kind != WallKind::open && r.lo < 0) r.lo = 0;
  if (b.walls[axis][1].kind != WallKind::open && r.hi > b.extent[axis]) r.hi = b.extent[axis];
  return r;
}
template <class T>
HALOCLINE_HD inline Rows rows_of_level(const ConvolveBlock<T>& b, int radius, Rows rows, int level, int steps) {
  return grown_along(b, b.slow_axis(), rows, static_cast<Index>(radius) * (steps - 1 - level));
}

// The same for a box, which grows along y in 3D and along x, too.
template <class T>
HALOCLINE_HD inline SlabBox box_of_level(const ConvolveBlock<T>& b, const int (&radius)[3], const SlabBox& box,
                                         int level, int steps) {
  const Index left = steps - 1 - level;
  return {rows_of_level(b, radius[b.slow_axis()], box.rows, level, steps),
          b.dimensions == 3 ? grown_along(b, 1, box.along_y, left * radius[1]) : box.along_y,
          grown_along(b, 0, box.along_x, left * radius[0])};
}

// Rows (planes) and, in 3D, those along y with `more` of neighbors that hold others.
template <class T>
HALOCLINE_HD inline SlabBox with_rim(const ConvolveBlock<T>& b, Rows rows, Index more) {
  SlabBox box = b.box(rows);
  if (b.dimensions == 3 && b.walls[1][0].kind == WallKind::open) box.along_y.lo -= more;
  if (b.dimensions == 3 && b.walls[1][1].kind == WallKind::open) box.along_y.hi += more;
  return box;
}

template <MaskKind K>
struct Kind {
  static constexpr MaskKind value = K;
};

// Calls f(Kind<K>{}) for a kind known at run time: dispatch(mask.kind, [&](auto kind) { ... decltype(kind)::value ...
// }).
template <class F>
void dispatch(MaskKind kind, const F& f) {
  switch (kind) {
    case MaskKind::star5:
      return f(Kind<MaskKind::star5>{});
    case MaskKind::star5_xy:
      return f(Kind<MaskKind::star5_xy>{});
    case MaskKind::star7:
      return f(Kind<MaskKind::star7>{});
    case MaskKind::box9:
      return f(Kind<MaskKind::box9>{});
    case MaskKind::box9_xy:
      return f(Kind<MaskKind::box9_xy>{});
    case MaskKind::box19:
      return f(Kind<MaskKind::box19>{});
    case MaskKind::box27:
      return f(Kind<MaskKind::box27>{});
    case MaskKind::cross9:
      return f(Kind<MaskKind::cross9>{});
    case MaskKind::cross13:
      return f(Kind<MaskKind::cross13>{});
    case MaskKind::general:
      return f(Kind<MaskKind::general>{});
  }
}

}  // namespace halocline::diffusion
