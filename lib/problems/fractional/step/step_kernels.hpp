// Bodies of a step beside its right-hand side: factors of nodes whose coefficients vary, states between levels.
#pragma once

#include "lib/fields/slab_layout.hpp"
#include "lib/problems/fractional/space/row_kernels.hpp"

namespace halocline::fractional {

// mu = 1 / (sigma A + (1 - theta)(k - dF/dc)),  nu = (1 - theta) mu
struct FactorsBody {
  SlabLayout slab;
  NodeValue sigma, reaction, slope;
  double local, ahead;  // A_{l,l}, 1 - theta
  double *mu, *nu;
  HALOCLINE_HD double denominator(Index at) const {
    return fma(ahead, reaction.load<double>(at) - slope.load<double>(at), sigma.load<double>(at) * local);
  }
  HALOCLINE_HD void operator()(Index line, Index i) const {
    const Index at = slab.line(line) + i;
    const double factor = 1 / denominator(at);
    mu[at] = factor;
    nu[at] = ahead * factor;
  }
  void row(Index line, Index begin, Index end) const {
    for (Index i = begin; i < end; ++i) (*this)(line, i);
  }
};

struct Lesser {
  HALOCLINE_HD double operator()(double a, double b) const { return b < a ? b : a; }
};
// The least denominator of a line, or of a node.
struct LeastDenominator {
  FactorsBody of;
  HALOCLINE_HD double operator()(Index line, Index i) const { return of.denominator(of.slab.line(line) + i); }
};

// to = c + factor times an increment.
struct BetweenBody {
  SlabLayout slab;
  const double *c, *increment;
  double factor;
  double* to;
  HALOCLINE_HD void operator()(Index line, Index i) const {
    const Index at = slab.line(line) + i;
    to[at] = fma(factor, increment[at], c[at]);
  }
  void row(Index line, Index begin, Index end) const {
    for (Index i = begin; i < end; ++i) (*this)(line, i);
  }
};

}  // namespace halocline::fractional
