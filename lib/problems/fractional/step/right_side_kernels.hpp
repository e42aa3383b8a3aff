// The right-hand side of a step, section "One step" of docs/fractional.md:
//   R = mu (-sigma A r delta' + Lambda V - k V + F - sigma H),   V = C + (1 - theta) r delta'
// with C and delta' of the level before, and H the history: the far value of the slot and the increments of its own
// sub-block. Data of sides are added by side_kernels.hpp.
#pragma once

#include "lib/fields/slab_layout.hpp"
#include "lib/problems/fractional/space/row_kernels.hpp"

namespace halocline::fractional {

// Fields of a part at a step; pointers to its node (0, 0, 0).
struct StepFields {
  const double* c = nullptr;
  const double* before = nullptr;  // delta'; null: none, at the first step
  double* slot = nullptr;          // far value, then R
};

// The increments of a sub-block before a step, oldest first, and what they count for it.
struct NearSum {
  static constexpr int most = 64;
  int count = 0;
  const double* increments[most] = {};
  double weights[most] = {};
};

struct StepNumbers {
  double local = 0;  // A_{l,l}
  double ratio = 0;  // r
  double ahead = 0;  // (1 - theta) r
};

// Rows along x of a part x nodes. Axis: ConstantAxis or VaryingAxis.
template <class Axis>
struct RightSideBody {
  SlabLayout slab;
  Axis x, y, z;
  StepFields fields;
  StepNumbers numbers;
  NearSum near;
  NodeValue mu, sigma, reaction, source;
  Index first_plane = 0;  // of the launch

  HALOCLINE_HD void operator()(Index line, Index i) const {
    const Index j = slab.y_of(line, first_plane), k = slab.z_of(line, first_plane);
    node(slab.offset(k, j, i), i, y.template row<double>(slab.offset(k, j, i), j),
         z.template row<double>(slab.offset(k, j, i), slab.first + k), steps(j, slab.first + k));
  }
  void row(Index line, Index begin, Index end) const {
    for (Index i = begin; i < end; ++i) (*this)(line, i);
  }

 private:
  struct Steps {
    Index south, north, below, above;
  };
  HALOCLINE_HD Steps steps(Index j, Index k) const {
    return {y.shape.before(j), y.shape.behind(j), z.shape.before(k), z.shape.behind(k)};
  }
  HALOCLINE_HD double value(Index at) const {
    return fields.before == nullptr ? fields.c[at] : fma(numbers.ahead, fields.before[at], fields.c[at]);
  }
  HALOCLINE_HD double history(Index at) const {
    double sum = fields.slot[at];
    for (int n = 0; n < near.count; ++n) sum = fma(near.weights[n], near.increments[n][at], sum);
    return sum;
  }
  HALOCLINE_HD void node(Index at, Index i, const AxisRow<double>& ry, const AxisRow<double>& rz,
                         const Steps& to) const {
    const AxisRow<double> rx = x.template row<double>(at, i);
    const double v = value(at);
    double sum = (rx.di + ry.di + rz.di) * v;
    sum = fma(rx.lo, value(at + x.shape.before(i)), sum);
    sum = fma(rx.up, value(at + x.shape.behind(i)), sum);
    sum = fma(ry.lo, value(at + to.south), sum);
    sum = fma(ry.up, value(at + to.north), sum);
    sum = fma(rz.lo, value(at + to.below), sum);
    sum = fma(rz.up, value(at + to.above), sum);
    sum = fma(-reaction.load<double>(at), v, sum) + source.load<double>(at);
    const double last = fields.before == nullptr ? 0 : numbers.local * numbers.ratio * fields.before[at];
    sum = fma(-sigma.load<double>(at), history(at) + last, sum);
    fields.slot[at] = mu.load<double>(at) * sum;
  }
};

// What a step adds: C and the slot's increment from the solution of the last sweep.
struct UpdateField {
  double* c;
  const double* before;  // delta'; null: none
  double* slot;
  double ratio;
  template <class P>
  HALOCLINE_HD void take(Index at, const P& w) const {
    const P delta = before == nullptr ? w : fma(ratio, halocline::load<P>(before + at), w);
    store(slot + at, delta);
    store(c + at, halocline::load<P>(c + at) + delta);
  }
};

}  // namespace halocline::fractional
