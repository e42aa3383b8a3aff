// Bodies of a step beside its right-hand side: factors of nodes whose coefficients vary, states between levels.
#pragma once

#include "lib/fields/slab_layout.hpp"
#include "lib/problems/fractional/space/convert_kernels.hpp"
#include "lib/problems/fractional/space/precision_layout.hpp"
#include "lib/problems/fractional/space/row_kernels.hpp"
#include "lib/problems/fractional/weights/media_kernels.hpp"

namespace halocline::fractional {

// mu = 1 / (sigma A + (1 - theta)(k - dF/dc)),  nu = (1 - theta) mu
struct FactorsBody : MediaNodesBody<FactorsBody> {
  NodeValue sigma, reaction, slope;
  MediumNumbers local, ahead;  // A_{l,l}, 1 - theta
  double *mu, *nu;
  template <class P>
  HALOCLINE_HD P denominator(Index at, int m) const {
    return fma(ahead.of[m], reaction.load<P>(at) - slope.load<P>(at), local.of[m] * sigma.load<P>(at));
  }
  template <class P>
  HALOCLINE_HD void node(Index at, int m) const {
    const P factor = strips::reciprocal(denominator<P>(at, m));
    store(mu + at, factor);
    store(nu + at, ahead.of[m] * factor);
  }
};

struct ScaleBody : NodesBody<ScaleBody> {
  double factor;
  double* values;
  template <class P>
  HALOCLINE_HD void node(Index at) const {
    store(values + at, factor * load<P>(values + at));
  }
};

// The least denominator of a line, or of a node.
struct LeastDenominator {
  FactorsBody of;
  HALOCLINE_HD double operator()(Index line, Index i) const {
    const Index at = of.slab.line(line) + i;
    return of.denominator<double>(at, of.medium.at(at));
  }
};

// to = c + factor times an increment, or c alone where that is null. Numbers: a precision of precision_layout.hpp.
template <class Numbers>
struct BetweenBody : MediaNodesBody<BetweenBody<Numbers>> {
  const typename Numbers::Field* c;
  const typename Numbers::Slot* increment;
  MediumNumbers factor;
  double* to;
  template <class P>
  HALOCLINE_HD void node(Index at, int m) const {
    const P level = load_as<P>(c + at);
    store(to + at, increment == nullptr ? level : fma(factor.of[m], load_as<P>(increment + at), level));
  }
};

// Of nodes of one medium.
struct TakeMediumBody : MediaNodesBody<TakeMediumBody> {
  int wanted;
  const double* from;
  double* to;
  template <class P>
  HALOCLINE_HD void node(Index at, int m) const {
    if (m == wanted) store(to + at, load<P>(from + at));
  }
};

}  // namespace halocline::fractional
