// Body of passes: div(M grad mu) in flux form, with a mobility M that varies and walls that nothing passes. M between
// cells is the mean of those beside the face, so that what leaves a cell enters its neighbor but for rounding.
//
// Traffic in doubles per cell, each read once: mu, M, and what `use` reads and writes.
#pragma once

#include "lib/problems/diffusion/steppers/flux_kernels.hpp"

namespace halocline::diffusion {

// block.c: mu; terms: 1 / h^2 along the axes, and M for D.
template <FaceMean M, int Dimensions>
struct MobilityRate {
  ConvolveBlock<double> b;
  FluxTerms terms;

  // A row, on the host: use(place, rate).
  template <class Use>
  HALOCLINE_HD void operator()(Index z, Index y, const Use& use) const {
    const Index n = b.extent[0], row = b.offset(z, y, 0);
    const bool near = n < 2 || flux::row_at_wall(b, z, y);
    const Index lo = near ? n : 1, hi = near ? n : n - 1;
    for (Index x = 0; x < lo; ++x) use(row + x, at_wall(z, y, x));
    const FluxTerms f = terms;  // copies that no store can change
    const Use u = use;
    const double *const mu = b.c + row, *const mobility = f.D + row;
    const Index pitch = b.pitch, plane = b.plane;
#pragma omp simd
    for (Index x = lo; x < hi; ++x)
      u(row + x, away(f, flux::Inner{mu + x, pitch, plane}, flux::InnerFaces<M>{{mobility + x, pitch, plane}}));
    for (Index x = hi; x < n; ++x) use(row + x, at_wall(z, y, x));
  }
  // A cell, on a GPU.
  HALOCLINE_HD double operator()(Index z, Index y, Index x) const {
    if (x == 0 || x == b.extent[0] - 1 || flux::row_at_wall(b, z, y)) return at_wall(z, y, x);
    const Index place = b.offset(z, y, x);
    return away(terms, flux::Inner{b.c + place, b.pitch, b.plane},
                flux::InnerFaces<M>{{terms.D + place, b.pitch, b.plane}});
  }

 private:
  template <class At, class AtM>
  HALOCLINE_HD [[gnu::always_inline]] static inline double away(const FluxTerms& f, const At& at, const AtM& mobility) {
    return flux::update<M, Dimensions>(f, Differences<At>{at, at(0, 0, 0)}, mobility, 0);
  }
  HALOCLINE_HD double at_wall(Index z, Index y, Index x) const {
    const Cells<double> cells{b.c, b.pitch, b.plane};
    return away(terms, Neighbors<double, Cells<double>>{b, 0, cells, z, y, x}, flux::Faces<M>{b, terms, z, y, x});
  }
};

inline FluxTerms mobility_terms(const double (&spacing)[3], int dimensions, const double* mobility) {
  FluxTerms terms;
  for (int axis = 0; axis < dimensions; ++axis) terms.k[axis] = 1 / (spacing[axis] * spacing[axis]);
  terms.D = mobility;
  return terms;
}

// Calls use(rate) with the body for a mean.
template <class Use>
void with_mobility(const ConvolveBlock<double>& b, const FluxTerms& terms, bool harmonic, const Use& use) {
  const bool deep = b.dimensions == 3;
  if (harmonic && deep) return use(MobilityRate<FaceMean::harmonic, 3>{b, terms});
  if (harmonic) return use(MobilityRate<FaceMean::harmonic, 2>{b, terms});
  if (deep) return use(MobilityRate<FaceMean::arithmetic, 3>{b, terms});
  use(MobilityRate<FaceMean::arithmetic, 2>{b, terms});
}

// An Euler step with a rate.
template <class Rate>
struct MobilityStep {
  Rate rate;
  const double* c;
  double *next, dt;
  struct Put {
    const double* c;
    double *next, dt;
    HALOCLINE_HD [[gnu::always_inline]] inline void operator()(Index place, double value) const {
      next[place] = fma(dt, value, c[place]);
    }
  };
  HALOCLINE_HD void operator()(Index z, Index y) const { rate(z, y, Put{c, next, dt}); }
  HALOCLINE_HD void operator()(Index z, Index y, Index x) const {
    Put{c, next, dt}(rate.b.offset(z, y, x), rate(z, y, x));
  }
};

}  // namespace halocline::diffusion
