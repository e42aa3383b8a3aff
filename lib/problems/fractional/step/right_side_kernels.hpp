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

// Rows along x of a part x nodes; eight nodes at a time on the host. Axis: ConstantAxis or VaryingAxis.
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
    visit(slab.z_of(line, first_plane), slab.y_of(line, first_plane), i);
  }
  // Node i of line j in a plane of the part.
  HALOCLINE_HD void visit(Index plane, Index j, Index i) const {
    const Line of = line_of(plane, j);
    store(fields.slot + of.at + i, node<double>(of, i));
  }
  [[gnu::flatten]] void row(Index line, Index begin, Index end) const {
    const RightSideBody body = *this;  // that no store can change
    const Line of = body.line_of(slab.z_of(line, first_plane), slab.y_of(line, first_plane));
    for (Index i = begin; i < end; i += lanes)
      store(body.fields.slot + of.at + i,
            clear_from(static_cast<int>(end - i), 0, body.template node<Pack<double>>(of, i)));
  }

 private:
  // A line, and the way from its nodes to those of the lines beside it.
  struct Line {
    Index at, j, k;
    Index south, north, below, above;
  };
  HALOCLINE_HD Line line_of(Index plane, Index j) const {
    const Index k = slab.first + plane;
    return {slab.offset(plane, j, 0), j, k, y.shape.before(j), y.shape.behind(j), z.shape.before(k), z.shape.behind(k)};
  }
  template <class P>
  HALOCLINE_HD P value(Index at) const {
    const P c = load_unaligned<P>(fields.c + at);
    return fields.before == nullptr ? c : fma(numbers.ahead, load_unaligned<P>(fields.before + at), c);
  }
  // Of the neighbors along x of nodes i, i + 1, ..; padding lies beyond the ends of a line.
  template <class P>
  HALOCLINE_HD P west(Index at, Index i) const {
    if (!is_pack<P>) return value<P>(at + x.shape.before(i));
    const P values = value<P>(at - 1);
    return i > 0 ? values : with_lane(values, 0, value<double>(at + x.shape.before(0)));
  }
  template <class P>
  HALOCLINE_HD P east(Index at, Index i) const {
    if (!is_pack<P>) return value<P>(at + x.shape.behind(i));
    const P values = value<P>(at + 1);
    const Index last = x.shape.rows - 1 - i;
    if (last >= lanes) return values;
    return with_lane(values, static_cast<int>(last), value<double>(at + last + x.shape.behind(i + last)));
  }
  template <class P>
  HALOCLINE_HD P history(Index at) const {
    P sum = load<P>(fields.slot + at);
    for (int n = 0; n < near.count; ++n) sum = fma(near.weights[n], load<P>(near.increments[n] + at), sum);
    return sum;
  }
  template <class P>
  HALOCLINE_HD P node(const Line& of, Index i) const {
    const Index at = of.at + i;
    const AxisRow<P> rx = contiguous_row<P>(x, at, i), ry = y.template row<P>(at, of.j),
                     rz = z.template row<P>(at, of.k);
    const P v = value<P>(at);
    P sum = (rx.di + ry.di + rz.di) * v;
    sum = fma(rx.lo, west<P>(at, i), sum);
    sum = fma(rx.up, east<P>(at, i), sum);
    sum = fma(ry.lo, value<P>(at + of.south), sum);
    sum = fma(ry.up, value<P>(at + of.north), sum);
    sum = fma(rz.lo, value<P>(at + of.below), sum);
    sum = fma(rz.up, value<P>(at + of.above), sum);
    sum = fma(strips::minus(reaction.load<P>(at)), v, sum) + source.load<P>(at);
    P past = history<P>(at);
    // Rounded before it is added, as by a compiler that sees a choice here: fma keeps others from fusing the two.
    if (fields.before != nullptr)
      past = past + fma(numbers.local * numbers.ratio, load<P>(fields.before + at), zero<P>());
    sum = fma(strips::minus(sigma.load<P>(at)), past, sum);
    return mu.load<P>(at) * sum;
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
