// Bodies for gpu/launch.hpp: one step of c_t = div(D grad c) + S in flux form, with D between cells from the two beside
// the face, and D on walls as wall_diffusivity.hpp says. What leaves a cell enters its neighbor but for rounding,
// whatever D is, 0 included.
//
// Traffic of a step: c, D and S read once, next written once: 24 to 40 bytes a cell.
#pragma once

#include "lib/problems/diffusion/balance/source_kernels.hpp"
#include "lib/problems/diffusion/convolve_kernels.hpp"
#include "lib/problems/diffusion/shell_kernels.hpp"
#include "lib/problems/diffusion/step_kernels.hpp"

namespace halocline::diffusion {

enum class FaceMean : int { constant, harmonic, arithmetic };

// D on a wall, at values[slow * slow + fast] of WallRule's positions of own cells; null: nothing passes through it.
struct WallD {
  const double* values = nullptr;
  Index slow = 0;   // 0: no wall
  Index first = 0;  // number of the first value in the list of the part; below 0: values lie elsewhere
};

struct FluxTerms {
  double k[3] = {0, 0, 0};         // dt / h^2 along x, y, z, times D where that is constant
  const double* D = nullptr;       // of cells, halo included, laid out as the arrays of the block
  const double* source = nullptr;  // of own cells; null: none
  double dt = 0;
  WallD walls[3][2];    // where D varies
  SourceRecord record;  // of the source, for bodies that run along lines, on the host
};

// A place on a wall: which one, 2 axis + side; its number in the tables of the wall; the cell inside.
struct WallPoint {
  Index wall, place, cell;
};

// c on walls: what is given there, or halfway between the cell inside and its ghost.
struct WallState {
  ConvolveBlock<double> b;
  const WallPoint* points;
  double* c;
  HALOCLINE_HD void operator()(Index n) const {
    const WallPoint& point = points[n];
    const WallRule<double>& wall = b.walls[point.wall / 2][point.wall % 2];
    const double alpha = wall.alpha[point.place], beta = wall.beta[point.place], inside = b.c[point.cell];
    c[n] = 0.5 * (alpha == -1 ? beta : inside + fma(alpha, inside, beta));
  }
};

// D on walls where the flux is given: 1, see Walls::set_diffusivity.
struct GivenFlux {
  const Index* places;
  double* D;
  HALOCLINE_HD void operator()(Index n) const { D[places[n]] = 1; }
};

namespace flux {

template <FaceMean M>
HALOCLINE_HD inline double between(double a, double b) {
  if constexpr (M == FaceMean::constant) return 1;
  if constexpr (M == FaceMean::arithmetic) return 0.5 * (a + b);
  const double sum = a + b;
  constexpr double least = 2.2250738585072014e-308;  // normal number; of 0 and 0 the mean is 0
  return 2 * (a * b) / (sum > least ? sum : least);
}

// The new value; at(dz, dy, dx) of neighbors and D(dz, dy, dx) on the faces towards them. The order of operations is
// fixed, and no product is left to the compiler to fuse. Inlined always: a loop that calls is not made for vector
// units.
template <FaceMean M, class At, class AtD>
HALOCLINE_HD [[gnu::always_inline]] inline double along(const At& at, const AtD& D, double c, int dz, int dy, int dx) {
  const double low = at(-dz, -dy, -dx) - c, high = at(dz, dy, dx) - c;
  if constexpr (M == FaceMean::constant) return low + high;
  return fma(D(-dz, -dy, -dx), low, D(dz, dy, dx) * high);
}
template <FaceMean M, int Dimensions, class At, class AtD>
HALOCLINE_HD [[gnu::always_inline]] inline double update(const FluxTerms& f, const At& at, const AtD& D,
                                                         double source) {
  const double c = at(0, 0, 0);
  double sum = fma(f.k[0], along<M>(at, D, c, 0, 0, 1), c);
  sum = fma(f.k[1], along<M>(at, D, c, 0, 1, 0), sum);
  if constexpr (Dimensions == 3) sum = fma(f.k[2], along<M>(at, D, c, 1, 0, 0), sum);
  return fma(f.dt, source, sum);
}

// Neighbors by distance in memory.
struct Inner {
  const double* values;
  Index pitch, plane;
  HALOCLINE_HD double operator()(int dz, int dy, int dx) const { return values[dz * plane + dy * pitch + dx]; }
};

// D on the faces of a cell away from walls.
template <FaceMean M>
struct InnerFaces {
  Inner D;
  HALOCLINE_HD double operator()(int dz, int dy, int dx) const { return between<M>(D(0, 0, 0), D(dz, dy, dx)); }
};

// D on a wall across an axis beside a cell whose D is `own`.
template <FaceMean M>
HALOCLINE_HD inline double on_wall(const ConvolveBlock<double>& b, const FluxTerms& f, int axis, int side, Index z,
                                   Index y, Index x, double own) {
  const WallD& wall = f.walls[axis][side];
  if (wall.values == nullptr) return 0;
  const Index slow = axis == 2 ? y : z, fast = axis == 0 ? y : x;
  const WallRule<double>& rule = b.walls[axis][side];
  const Index place = rule.at(0, slow, fast);
  const double alpha = rule.alpha[place], D = wall.values[slow * wall.slow + fast];
  if (alpha == 1 && rule.beta[place] == 0) return 0;  // nothing passes, whatever D is
  return alpha == -1 ? between<M>(own, D) : D;
}

// D on the faces of any cell.
template <FaceMean M>
struct Faces {
  const ConvolveBlock<double>& b;
  const FluxTerms& f;
  Index z, y, x;
  HALOCLINE_HD double operator()(int dz, int dy, int dx) const {
    if constexpr (M == FaceMean::constant) return 1;
    const double own = f.D[b.offset(z, y, x)];
    Index at[3] = {x + dx, y + dy, z + dz};
    for (int axis = 0; axis < b.dimensions; ++axis) {
      const Index n = b.extent[axis];
      if (at[axis] >= 0 && at[axis] < n) continue;
      const int side = at[axis] < 0 ? 0 : 1;
      const WallKind kind = b.walls[axis][side].kind;
      if (kind == WallKind::affine) return on_wall<M>(b, f, axis, side, z, y, x, own);
      if (kind == WallKind::periodic) at[axis] += side == 0 ? n : -n;
    }
    return between<M>(own, f.D[b.offset(at[2], at[1], at[0])]);
  }
};

// Adds what a cell gains through the walls beside it, times `share`, to their records.
template <class At, class AtD>
HALOCLINE_HD inline void record(const ConvolveBlock<double>& b, const FluxTerms& f, const At& at, const AtD& D, Index z,
                                Index y, Index x, double share = 1) {
  const Index position[3] = {x, y, z}, slow[3] = {z, z, y}, fast[3] = {y, x, x};
  for (int axis = 0; axis < 3 && axis < b.dimensions; ++axis)
    for (int side = 0; side < 2; ++side) {
      const WallRule<double>& wall = b.walls[axis][side];
      if (!wall.uptake || position[axis] != (side == 0 ? 0 : b.extent[axis] - 1)) continue;
      const int d = side == 0 ? -1 : 1, dx = axis == 0 ? d : 0, dy = axis == 1 ? d : 0, dz = axis == 2 ? d : 0;
      const double gain = f.k[axis] * D(dz, dy, dx) * (at(dz, dy, dx) - at(0, 0, 0));
      add_uptake(wall, wall.at(0, slow[axis], fast[axis]), share * gain);
    }
}

// A cell at walls, from at(dz, dy, dx) of its neighbors.
template <FaceMean M, int Dimensions, class At>
HALOCLINE_HD inline double update_with_records(const ConvolveBlock<double>& b, const FluxTerms& f, const At& at,
                                               Index z, Index y, Index x) {
  const Faces<M> D{b, f, z, y, x};
  record(b, f, at, D, z, y, x);
  return update<M, Dimensions>(f, at, D, f.source ? f.source[b.offset(z, y, x)] : 0);
}

// Any cell.
template <FaceMean M, int Dimensions>
HALOCLINE_HD inline double update_at_wall(const ConvolveBlock<double>& b, const FluxTerms& f, Index z, Index y,
                                          Index x) {
  const Cells<double> cells{b.c, b.pitch, b.plane};
  return update_with_records<M, Dimensions>(b, f, Neighbors<double, Cells<double>>{b, 0, cells, z, y, x}, z, y, x);
}

// Whether a row is next to a wall across y or z.
HALOCLINE_HD inline bool row_at_wall(const ConvolveBlock<double>& b, Index z, Index y) {
  const Index at[3] = {0, y, z};
  for (int axis = 1; axis < b.dimensions; ++axis) {
    if (at[axis] == 0 && b.walls[axis][0].kind != WallKind::open) return true;
    if (at[axis] == b.extent[axis] - 1 && b.walls[axis][1].kind != WallKind::open) return true;
  }
  return false;
}

}  // namespace flux

// One cell of the boxes of a shell, counted through all of them, on a GPU.
template <FaceMean M, int Dimensions>
struct FluxShellCell {
  ConvolveBlock<double> b;
  ConvolveMask<double> star;  // its radius
  FluxTerms f;
  Shell shell;
  HALOCLINE_HD void operator()(Index n) const {
    const ShellPlace p = shell.place(n);
    double& next = b.next[b.offset(p.z, p.y, p.x)];
    if (alone_at_wall<0>(b, star, p)) {
      next = beside<0>(p);
    } else if (alone_at_wall<1>(b, star, p)) {
      next = beside<1>(p);
    } else if (Dimensions == 3 && alone_at_wall<2>(b, star, p)) {
      next = beside<2>(p);
    } else {
      next = flux::update_at_wall<M, Dimensions>(b, f, p.z, p.y, p.x);
    }
  }

 private:
  template <int Axis>
  HALOCLINE_HD double beside(const ShellPlace& p) const {
    const BesideWall<Axis, double> at{b, b.walls[Axis][p.side], p.side == 0, 0, p.z, p.y, p.x};
    return flux::update_with_records<M, Dimensions>(b, f, at, p.z, p.y, p.x);
  }
};

}  // namespace halocline::diffusion
