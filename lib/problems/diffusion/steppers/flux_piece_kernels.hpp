// Steps in flux form on the host: a piece of a line of cells along x, from the lines beside it and D on the faces
// between. Ghosts beyond walls across y and z are lines too, so that vector units take cells at walls as they take
// others. Bits are those of flux::update_at_wall.
#pragma once

#include "lib/problems/diffusion/steppers/flux_kernels.hpp"

namespace halocline::diffusion {

// Cells from, from + 1, ... of line (z, y), `count` of them.
struct LinePiece {
  Index z, y, from, count;
};

namespace flux {

// Values at cell i of a piece and at those beside it.
struct PieceCells {
  const double *own, *y[2], *z[2];
  Index i = 0;
  double operator()(int dz, int dy, int dx) const {
    if (dx != 0) return own[i + dx];
    if (dy != 0) return y[dy > 0][i];
    return dz != 0 ? z[dz > 0][i] : own[i];
  }
};

// Values on the faces around cell i: those towards lower and higher x at x[i] and x[i + 1].
struct PieceFaces {
  const double *x = nullptr, *y[2] = {nullptr, nullptr}, *z[2] = {nullptr, nullptr};
  Index i = 0;
  double operator()(int dz, int dy, int dx) const {
    if (dx != 0) return x[i + (dx > 0)];
    return dy != 0 ? y[dy > 0][i] : z[dz > 0][i];
  }
};

// The same at the first or last cell of a line, with what lies beyond it.
struct EndCells {
  PieceCells at;
  bool first, last;
  double beyond[2];
  double operator()(int dz, int dy, int dx) const {
    if (dx < 0 && first) return beyond[0];
    return dx > 0 && last ? beyond[1] : at(dz, dy, dx);
  }
};

}  // namespace flux

// Walls of layout `fv`, which hold no cells (WallRule::fixed).
template <FaceMean M, int Dimensions>
class FluxPiece {
 public:
  static constexpr Index most = 256;          // cells
  static constexpr Index scratch = 4 * most;  // values of memory that are needed

  FluxPiece(const ConvolveBlock<double>& b, const FluxTerms& f, double* memory) : b_(b), f_(f), ghosts_(memory) {}

  // `faces`: of D; `source[i]`: of cell number i of the piece.
  template <class Source>
  void update(const LinePiece& p, const flux::PieceFaces& faces, const Source& source) const {
    const flux::PieceCells cells = neighbors(p);
    const Index n = b_.extent[0];
    double* const out = b_.next + b_.offset(p.z, p.y, p.from);
    const Index lo = p.from == 0 ? 1 : 0, hi = p.from + p.count == n ? std::max(p.count - 1, lo) : p.count;
    for (Index i = 0; i < lo; ++i) out[i] = at_end(p, cells, faces, i, source[i]);
    for (Index i = hi; i < p.count; ++i) out[i] = at_end(p, cells, faces, i, source[i]);
    inner(cells, faces, source, lo, hi, out);
    record(p, cells, faces);
  }

 private:
  // Nothing here is read through what a store could change, and nothing is asked in the loop.
  template <class Source>
  void inner(const flux::PieceCells& cells, const flux::PieceFaces& faces, Source source, Index lo, Index hi,
             double* out) const {
    const FluxTerms f = f_;
    const double *const c = cells.own, *const c_y0 = cells.y[0], *const c_y1 = cells.y[1], *const c_z0 = cells.z[0],
                        *const c_z1 = cells.z[1];
    const double *const D_x = faces.x, *const D_y0 = faces.y[0], *const D_y1 = faces.y[1], *const D_z0 = faces.z[0],
                        *const D_z1 = faces.z[1];
#pragma omp simd
    for (Index i = lo; i < hi; ++i)
      out[i] = flux::update<M, Dimensions>(f, flux::PieceCells{c, {c_y0, c_y1}, {c_z0, c_z1}, i},
                                           flux::PieceFaces{D_x, {D_y0, D_y1}, {D_z0, D_z1}, i}, source[i]);
  }

  flux::PieceCells neighbors(const LinePiece& p) const {
    const double* const own = b_.c + b_.offset(p.z, p.y, p.from);
    flux::PieceCells cells{own, {own, own}, {own, own}};
    for (int side = 0; side < 2; ++side) {
      cells.y[side] = beside<1>(side, p, own);
      if (Dimensions == 3) cells.z[side] = beside<2>(side, p, own);
    }
    return cells;
  }
  // The piece beside one, along y or z.
  template <int Axis>
  const double* beside(int side, const LinePiece& p, const double* own) const {
    const Index n = b_.extent[Axis], stride = Axis == 1 ? b_.pitch : b_.plane, at = Axis == 1 ? p.y : p.z;
    const Index to = side == 0 ? -1 : 1;
    const WallRule<double>& wall = b_.walls[Axis][side];
    if (at != (side == 0 ? 0 : n - 1) || wall.kind == WallKind::open) return own + to * stride;
    if (wall.kind == WallKind::periodic) return own - to * (n - 1) * stride;
    const Index place = wall.at(0, Axis == 1 ? p.z : p.y, p.from);
    const double *const alpha = wall.alpha + place, *const beta = wall.beta + place;
    double* const ghosts = ghosts_ + (2 * Axis - 2 + side) * most;
#pragma omp simd
    for (Index i = 0; i < p.count; ++i) ghosts[i] = fma(alpha[i], own[i], beta[i]);
    return ghosts;
  }

  double at_end(const LinePiece& p, const flux::PieceCells& cells, flux::PieceFaces faces, Index i,
                double source) const {
    const Index x = p.from + i, n = b_.extent[0];
    flux::EndCells at{cells, x == 0, x == n - 1, {0, 0}};
    at.at.i = faces.i = i;
    for (int side = 0; side < 2; ++side) {
      if (!(side == 0 ? at.first : at.last)) continue;
      const WallRule<double>& wall = b_.walls[0][side];
      const Index place = wall.at(0, p.z, p.y);
      at.beyond[side] = wall.kind == WallKind::periodic ? cells.own[i + (side == 0 ? n - 1 : 1 - n)]
                                                        : fma(wall.alpha[place], cells.own[i], wall.beta[place]);
      if (wall.uptake) add_uptake(wall, place, gain(0, faces.x + i + side, at.beyond[side], cells.own[i]));
    }
    return flux::update<M, Dimensions>(f_, at, faces, source);
  }

  // What a cell gains through a face, as flux::record has it.
  double gain(int axis, const double* D, double beyond, double own) const {
    return f_.k[axis] * (M == FaceMean::constant ? 1 : *D) * (beyond - own);
  }
  // Adds what cells gain through walls across y and z to their records.
  void record(const LinePiece& p, const flux::PieceCells& cells, const flux::PieceFaces& faces) const {
    for (int side = 0; side < 2; ++side) {
      record<1>(side, p, cells.own, cells.y[side], faces.y[side]);
      if (Dimensions == 3) record<2>(side, p, cells.own, cells.z[side], faces.z[side]);
    }
  }
  template <int Axis>
  void record(int side, const LinePiece& p, const double* own, const double* beyond, const double* D) const {
    const WallRule<double>& wall = b_.walls[Axis][side];
    if (!wall.uptake || (Axis == 1 ? p.y : p.z) != (side == 0 ? 0 : b_.extent[Axis] - 1)) return;
    const Index place = wall.at(0, Axis == 1 ? p.z : p.y, p.from);
    for (Index i = 0; i < p.count; ++i) add_uptake(wall, place + i, gain(Axis, D + i, beyond[i], own[i]));
  }

  const ConvolveBlock<double>& b_;
  const FluxTerms& f_;
  double* ghosts_;
};

}  // namespace halocline::diffusion
