// Bodies on the whole operator of a step, I - nu Lambda, which sweeps split and unsplit steps do not: rows along x of a
// part x nodes. Unknowns are all nodes but those of Dirichlet sides; results elsewhere are 0.
#pragma once

#include <limits>

#include "lib/base/hash.hpp"
#include "lib/fields/error_kernels.hpp"
#include "lib/problems/fractional/space/stencil_kernels.hpp"

namespace halocline::fractional {

// out = value(stencil, place) at unknowns, 0 elsewhere. Value: one of those below.
template <class Axis, class Value, class T>
struct UnknownsBody : NodeByNode<UnknownsBody<Axis, Value, T>> {
  Stencil<Axis> stencil;
  Value value;
  T* out;
  HALOCLINE_HD void operator()(Index line, Index i) const {
    const NodePlace n = stencil.place(line, i);
    out[n.at] = T(stencil.is_unknown(n) ? value(stencil, n) : 0);
  }
};

// right - (I - nu Lambda) u; right null: 0.
struct ResidualValue {
  NodeValue nu;
  const double *right, *u;
  template <class Axis>
  HALOCLINE_HD double operator()(const Stencil<Axis>& stencil, const NodePlace& n) const {
    const double known = right == nullptr ? 0 : right[n.at];
    return fma(nu.load<double>(n.at), stencil.lambda(n, u), known - u[n.at]);
  }
};

// w (u/nu - Lambda u): the matrix of an unsplit step.
struct SystemValue {
  NodeValue nu;
  const double* u;
  template <class Axis>
  HALOCLINE_HD double operator()(const Stencil<Axis>& stencil, const NodePlace& n) const {
    return stencil.weight(n) * (u[n.at] / nu.load<double>(n.at) - stencil.lambda(n, u));
  }
};

// Its right-hand side: w (b/nu + Lambda u), with u the values of Dirichlet sides among zeros.
template <class T>
struct SystemRightValue {
  NodeValue nu;
  const double* b;
  const T* u;
  template <class Axis>
  HALOCLINE_HD double operator()(const Stencil<Axis>& stencil, const NodePlace& n) const {
    return stencil.weight(n) * (b[n.at] / nu.load<double>(n.at) + stencil.lambda(n, u));
  }
};

// x over the diagonal of the matrix.
struct PreconditionedValue {
  NodeValue nu;
  const double* x;
  template <class Axis>
  HALOCLINE_HD double operator()(const Stencil<Axis>& stencil, const NodePlace& n) const {
    return x[n.at] / stencil.system_diagonal(n, nu.load<double>(n.at));
  }
};

// The diagonal of nu Lambda.
struct StiffnessValue {
  NodeValue nu;
  template <class Axis>
  HALOCLINE_HD double operator()(const Stencil<Axis>& stencil, const NodePlace& n) const {
    return nu.load<double>(n.at) * stencil.diagonal(n);
  }
};

// The residual of u over the diagonal of the matrix.
struct CorrectionValue {
  SystemValue product;
  const double* b;
  template <class Axis>
  HALOCLINE_HD double operator()(const Stencil<Axis>& stencil, const NodePlace& n) const {
    return (b[n.at] - product(stencil, n)) / stencil.system_diagonal(n, product.nu.load<double>(n.at));
  }
};

template <class T>
struct OwnValue {
  const T* u;
  template <class Axis>
  HALOCLINE_HD double operator()(const Stencil<Axis>& /*stencil*/, const NodePlace& n) const {
    return static_cast<double>(u[n.at]);
  }
};

// What a residual r of I - nu Lambda tells of the error: r over the row's dominance; infinite without one.
template <class T>
struct BoundValue {
  static constexpr double infinite = std::numeric_limits<double>::infinity();
  NodeValue nu;
  const T* r;
  template <class Axis>
  HALOCLINE_HD double operator()(const Stencil<Axis>& stencil, const NodePlace& n) const {
    if (r[n.at] == 0) return 0;
    const double dominance = stencil.dominance(n, nu.load<double>(n.at));
    return dominance > 0 ? static_cast<double>(r[n.at]) / dominance : infinite;
  }
};

// Numbers in [-1, 1) that look random and depend on the global node alone.
struct RandomValue {
  std::uint64_t stream;
  template <class Axis>
  HALOCLINE_HD double operator()(const Stencil<Axis>& stencil, const NodePlace& n) const {
    const Index node = (n.k * stencil.y.shape.rows + n.j) * stencil.slab.extent[0] + n.i;
    return fma(2.0, u01(2 * static_cast<std::uint64_t>(node) + stream), -1.0);
  }
};

// to = from, or = 0 where from is null; over whole rows, what lies behind their nodes becomes 0. unknowns_only:
// others become 0 too.
template <class Axis, class From, class To>
struct TakeBody : NodeByNode<TakeBody<Axis, From, To>> {
  Stencil<Axis> stencil;
  const From* from;
  To* to;
  bool unknowns_only;
  HALOCLINE_HD void operator()(Index line, Index i) const {
    const NodePlace n = stencil.place(line, i);
    const bool taken = from != nullptr && i < stencil.slab.extent[0] && (!unknowns_only || stencil.is_unknown(n));
    to[n.at] = taken ? static_cast<To>(from[n.at]) : 0;
  }
};

// Rows of ghosts along y become 0: those behind a plane and those before the next one.
struct ClearGhostsBody : NodeByNode<ClearGhostsBody> {
  SlabLayout slab;
  double* values;
  HALOCLINE_HD void operator()(Index plane, Index i) const { values[slab.offset(plane, slab.extent[1], i)] = 0; }
};

// to = from at unknowns.
template <class Axis, class T>
struct PutBody : NodeByNode<PutBody<Axis, T>> {
  Stencil<Axis> stencil;
  const double* from;
  T* to;
  HALOCLINE_HD void operator()(Index line, Index i) const {
    const NodePlace n = stencil.place(line, i);
    if (stencil.is_unknown(n)) to[n.at] = static_cast<T>(from[n.at]);
  }
};

// C and the increment from the solution W in the slot, as in a sweep along z.
template <class Update>
struct UpdateNodeBody : NodeByNode<UpdateNodeBody<Update>> {
  SlabLayout slab;
  Update update;
  HALOCLINE_HD void operator()(Index line, Index i) const {
    const Index at = slab.line(line) + i;
    update.take(at, update.slot[at]);
  }
};

template <class T>
struct MagnitudeBody {
  SlabLayout slab;
  const T* u;
  HALOCLINE_HD double operator()(Index line, Index i) const {
    return magnitude(static_cast<double>(u[slab.line(line) + i]));
  }
};
// Of value(stencil, place) at unknowns; 0 elsewhere. Value: one of those above.
template <class Axis, class Value>
struct UnknownMagnitudeBody {
  Stencil<Axis> stencil;
  Value value;
  HALOCLINE_HD double operator()(Index line, Index i) const {
    const NodePlace n = stencil.place(line, i);
    return stencil.is_unknown(n) ? magnitude(value(stencil, n)) : 0;
  }
};
// The global number of a node whose magnitude is `most`; `none` for others.
struct PlaceOfBody {
  static constexpr Index none = std::numeric_limits<Index>::max();
  SlabLayout slab;
  const double* u;
  double most;
  Index rows;  // of the grid along y
  HALOCLINE_HD Index operator()(Index line, Index i) const {
    return magnitude(u[slab.line(line) + i]) == most ? slab.global_line(line, rows) * slab.extent[0] + i : none;
  }
};
// Of C before the step, and after it with W in the slot.
template <class Update>
struct StateMagnitudeBody {
  SlabLayout slab;
  Update of;
  HALOCLINE_HD double operator()(Index line, Index i) const {
    const Index at = slab.line(line) + i;
    const auto c = static_cast<double>(of.c[at]), w = static_cast<double>(of.slot[at]);
    const double delta = of.before == nullptr ? w : fma(of.ratio, static_cast<double>(of.before[at]), w);
    return Larger()(magnitude(c), magnitude(c + delta));
  }
};

}  // namespace halocline::fractional
