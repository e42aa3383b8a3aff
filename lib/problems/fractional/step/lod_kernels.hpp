// Bodies of the published LOD step, see lod_step.hpp.
#pragma once

#include "lib/fields/slab_layout.hpp"
#include "lib/problems/fractional/step/right_side_kernels.hpp"

namespace halocline::fractional {

// given = mu (F - sigma H), and the right-hand side of the first sweep: slot = C + weight given. H is the far value in
// the slot and what `near` adds.
struct LodBeginBody : NodesBody<LodBeginBody> {
  const double* c;
  double *slot, *given;
  NearSum<double> near;
  NodeValue mu, sigma, source;
  double weight;

  template <class P>
  HALOCLINE_HD void node(Index at) const {
    P history = load<P>(slot + at);
    for (int n = 0; n < near.count; ++n) history = fma(near.weights[n], load<P>(near.increments[n] + at), history);
    const P rest = fma(strips::minus(sigma.load<P>(at)), history, source.load<P>(at));
    const P all = mu.load<P>(at) * rest;
    store(given + at, all);
    store(slot + at, fma(weight, all, load<P>(c + at)));
  }
};

// What a later sweep takes of it: slot += weight given.
struct LodAddBody : NodesBody<LodAddBody> {
  const double* given;
  double* slot;
  double weight;

  template <class P>
  HALOCLINE_HD void node(Index at) const {
    store(slot + at, fma(weight, load<P>(given + at), load<P>(slot + at)));
  }
};

}  // namespace halocline::fractional
