// Bodies for gpu/launch.hpp: rates of the equations, and what a stage of a stabilized method makes of them in the same
// pass. stage_table.hpp has the method.
//
// Rates are the updates of Euler steps, applied to differences from the cell itself with the time step taken for 1:
// what they add to 0. So they are exact for constants and lose no digits to the state.
//
// Traffic of a stage in doubles per cell, each read or written once: Y_{j-1} (and D, S or mu where the equation has
// them), Y_{j-2}, Y_0, F_0, and Y_j, which takes the place of Y_{j-2}: 5, that is 40 bytes; of the first stage 3.
#pragma once

#include "lib/fields/measure_kernels.hpp"
#include "lib/problems/diffusion/step_kernels.hpp"
#include "lib/problems/diffusion/steppers/flux_kernels.hpp"

namespace halocline::diffusion {

// What becomes of the rate F of a cell at a place in memory.

// Y_1 = Y_0 + by F; F is kept.
struct FirstStage {
  const double* start;  // Y_0
  double *kept, *next;
  double by;
  HALOCLINE_HD [[gnu::always_inline]] inline void operator()(Index place, double rate) const {
    kept[place] = rate;
    next[place] = fma(by, rate, start[place]);
  }
};

// Y_j from Y_{j-1}, Y_{j-2} (where next may lie), Y_0 and F_0.
struct NextStage {
  const double *last, *before, *start, *first_rate;
  double* next;
  double mu, nu, by, by_first;
  HALOCLINE_HD [[gnu::always_inline]] inline void operator()(Index place, double rate) const {
    const double c = start[place];
    const double flow = fma(by, rate, by_first * first_rate[place]);
    next[place] = c + fma(mu, last[place] - c, fma(nu, before[place] - c, flow));
  }
};

struct RateAlone {
  double* rate;
  HALOCLINE_HD [[gnu::always_inline]] inline void operator()(Index place, double value) const { rate[place] = value; }
};

// The walls that reach a cell: how many, and the last of them.
struct WallsAround {
  int count = 0, axis = 0, side = 0;
  template <class Reach>
  HALOCLINE_HD WallsAround(const ConvolveBlock<double>& b, const Reach& reach, Index z, Index y, Index x) {
    const Index at[3] = {x, y, z};
    for (int a = 0; a < b.dimensions; ++a)
      for (int s = 0; s < 2; ++s)
        if (b.walls[a][s].kind != WallKind::open && (s == 0 ? at[a] : b.extent[a] - 1 - at[a]) < reach(a, s))
          ++count, axis = a, side = s;
  }
};

// D times a mask applied to block.c: the state or, for Cahn-Hilliard, the potential. `mask` for D dt = D. Walls record
// `share` times what they let in; 0: nothing.
template <MaskKind K>
struct MaskRate {
  ConvolveBlock<double> b;
  ConvolveMask<double> mask;
  double share;

  // A row, on the host.
  template <class Use>
  HALOCLINE_HD void operator()(Index z, Index y, const Use& use) const {
    const Index n = b.extent[0], row = b.offset(z, y, 0);
    Index lo = near_wall(b, mask, 0, 0), hi = n - near_wall(b, mask, 0, 1);
    if (lo > hi || row_near_wall(b, mask, z, y)) lo = hi = n;
    for (Index x = 0; x < lo; ++x) use(row + x, at_wall(z, y, x));
    const ConvolveMask<double> m = mask;  // copies that no store can change
    const Use u = use;
    const double* const c = b.c + row;
    const Index pitch = b.pitch, plane = b.plane;
#pragma omp simd
    for (Index x = lo; x < hi; ++x) u(row + x, away(m, InnerNeighbors<double>{c + x, pitch, plane}));
    for (Index x = hi; x < n; ++x) use(row + x, at_wall(z, y, x));
  }

  // A cell, on a GPU.
  HALOCLINE_HD double operator()(Index z, Index y, Index x) const {
    const bool inner =
        x >= near_wall(b, mask, 0, 0) && x < b.extent[0] - near_wall(b, mask, 0, 1) && !row_near_wall(b, mask, z, y);
    return inner ? away(mask, InnerNeighbors<double>{b.c + b.offset(z, y, x), b.pitch, b.plane}) : at_wall(z, y, x);
  }

 private:
  template <class At>
  HALOCLINE_HD [[gnu::always_inline]] static inline double away(const ConvolveMask<double>& m, const At& at) {
    return update<K>(m, Differences<At>{at, at(0, 0, 0)});
  }
  // Most cells at walls are near one alone, and ask about no other.
  HALOCLINE_HD double at_wall(Index z, Index y, Index x) const {
    const WallsAround walls(
        b, [this](int axis, int side) { return near_wall(b, mask, axis, side); }, z, y, x);
    if (walls.count == 1 && walls.axis == 0) return beside<0>(walls.side, z, y, x);
    if (walls.count == 1 && walls.axis == 1) return beside<1>(walls.side, z, y, x);
    if (walls.count == 1) return beside<2>(walls.side, z, y, x);
    const Cells<double> cells{b.c, b.pitch, b.plane};
    const Neighbors<double, Cells<double>> at{b, 0, cells, z, y, x};
    if (share != 0) record_uptake(b, mask, at, z, y, x, share);
    return slowly(at);
  }
  template <int Axis>
  HALOCLINE_HD double beside(int side, Index z, Index y, Index x) const {
    const BesideWall<Axis, double> at{b, b.walls[Axis][side], side == 0, 0, z, y, x};
    if (share != 0) at.record(mask, share);
    return slowly(at);
  }
  template <class At>
  HALOCLINE_HD double slowly(const At& at) const {
    return update_slowly<K>(mask, Differences<At>{at, at(0, 0, 0)});
  }
};

// div(D grad c) + S in flux form; `terms` for dt = 1.
template <FaceMean M, int Dimensions>
struct FluxRate {
  ConvolveBlock<double> b;
  FluxTerms terms;
  double share;

  template <class Use>
  HALOCLINE_HD void operator()(Index z, Index y, const Use& use) const {
    const Index n = b.extent[0], row = b.offset(z, y, 0);
    const bool near = n < 2 || flux::row_at_wall(b, z, y);
    const Index lo = near ? n : 1, hi = near ? n : n - 1;
    for (Index x = 0; x < lo; ++x) use(row + x, at_wall(z, y, x));
    if (terms.source) {
      if (terms.record.kept()) terms.record.add_cells(z, y, 0, terms.source + row, n);
      inner(row, terms.source + row, lo, hi, use);
    } else {
      inner(row, NoSource{}, lo, hi, use);
    }
    for (Index x = hi; x < n; ++x) use(row + x, at_wall(z, y, x));
  }

  HALOCLINE_HD double operator()(Index z, Index y, Index x) const {
    if (x == 0 || x == b.extent[0] - 1 || flux::row_at_wall(b, z, y)) return at_wall(z, y, x);
    const Index place = b.offset(z, y, x);
    return away(terms, flux::Inner{b.c + place, b.pitch, b.plane},
                flux::InnerFaces<M>{{M == FaceMean::constant ? b.c : terms.D + place, b.pitch, b.plane}},
                terms.source ? terms.source[place] : 0);
  }

 private:
  struct NoSource {
    HALOCLINE_HD double operator[](Index) const { return 0; }
  };
  template <class Source, class Use>
  HALOCLINE_HD void inner(Index row, Source source, Index lo, Index hi, const Use& use) const {
    const FluxTerms f = terms;  // copies that no store can change
    const Use u = use;
    const double* const c = b.c + row;
    const double* const D = M == FaceMean::constant ? c : f.D + row;
    const Index pitch = b.pitch, plane = b.plane;
#pragma omp simd
    for (Index x = lo; x < hi; ++x)
      u(row + x, away(f, flux::Inner{c + x, pitch, plane}, flux::InnerFaces<M>{{D + x, pitch, plane}}, source[x]));
  }
  template <class At, class AtD>
  HALOCLINE_HD [[gnu::always_inline]] static inline double away(const FluxTerms& f, const At& at, const AtD& D,
                                                                double source) {
    return flux::update<M, Dimensions>(f, Differences<At>{at, at(0, 0, 0)}, D, source);
  }
  HALOCLINE_HD double at_wall(Index z, Index y, Index x) const {
    const WallsAround walls(
        b, [](int, int) -> Index { return 1; }, z, y, x);
    if (walls.count == 1 && walls.axis == 0) return beside<0>(walls.side, z, y, x);
    if (walls.count == 1 && walls.axis == 1) return beside<1>(walls.side, z, y, x);
    if (walls.count == 1) return beside<2>(walls.side, z, y, x);
    const Cells<double> cells{b.c, b.pitch, b.plane};
    return recorded(Neighbors<double, Cells<double>>{b, 0, cells, z, y, x}, z, y, x);
  }
  template <int Axis>
  HALOCLINE_HD double beside(int side, Index z, Index y, Index x) const {
    return recorded(BesideWall<Axis, double>{b, b.walls[Axis][side], side == 0, 0, z, y, x}, z, y, x);
  }
  template <class At>
  HALOCLINE_HD double recorded(const At& at, Index z, Index y, Index x) const {
    const flux::Faces<M> D{b, terms, z, y, x};
    if (share != 0) flux::record(b, terms, at, D, z, y, x, share);
    return away(terms, at, D, terms.source ? terms.source[b.offset(z, y, x)] : 0);
  }
};

// One pass: rows on the host, cells on a GPU.
template <class Rate, class Use>
struct RatePass {
  Rate rate;
  Use use;
  HALOCLINE_HD void operator()(Index z, Index y) const { rate(z, y, use); }
  HALOCLINE_HD void operator()(Index z, Index y, Index x) const { use(rate.b.offset(z, y, x), rate(z, y, x)); }
};

// The first stage where F_0 is known already; a line of the slab.
struct FirstFromKnown {
  SlabLayout slab;
  const double *start, *rate;
  double* next;
  double by;
  HALOCLINE_HD void operator()(Index n) const {
    const Index from = slab.line(n), to = from + slab.extent[0];
#pragma omp simd
    for (Index place = from; place < to; ++place) next[place] = fma(by, rate[place], start[place]);
  }
  HALOCLINE_HD void operator()(Index n, Index x) const {
    const Index place = slab.line(n) + x;
    next[place] = fma(by, rate[place], start[place]);
  }
};

// Sum of squares of Y_0 - Y_s + dt (F_0 + F_s)/2, times a power of two, over a line in a fixed order.
struct ErrorOfLine {
  SlabLayout slab;
  const double *start, *end, *first_rate, *last_rate;
  double half_step, scale;
  template <class Sink>
  HALOCLINE_HD void operator()(Index n, Sink& sink) const {
    const Index from = slab.line(n), count = slab.extent[0], whole = count / 8 * 8;
    double s[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    for (Index x = 0; x < whole; x += 8)
      for (int k = 0; k < 8; ++k) add(from + x + k, s[k]);
    for (Index x = whole; x < count; ++x) add(from + x, s[x - whole]);
    sink.add(0, joined(s));
  }

 private:
  HALOCLINE_HD void add(Index place, double& sum) const {
    const double error = scale * fma(half_step, first_rate[place] + last_rate[place], start[place] - end[place]);
    sum = fma(error, error, sum);
  }
};

}  // namespace halocline::diffusion
