// The right-hand side of a step, section "One step" of docs/fractional.md:
//   R = mu (-sigma A r delta' + Lambda V - k V + F - sigma H),   V = C + (1 - theta) r delta'
// with C and delta' of the level before, and H the history: the far value of the slot and the increments of its own
// sub-block. Data of sides are added by side_kernels.hpp. H is summed in the numbers of slots, all else in double.
#pragma once

#include "lib/base/view.hpp"
#include "lib/fields/slab_layout.hpp"
#include "lib/problems/fractional/space/precision_layout.hpp"
#include "lib/problems/fractional/space/row_kernels.hpp"
#include "lib/problems/fractional/weights/media_kernels.hpp"

namespace halocline::fractional {

// Fields of a part at a step; pointers to its node (0, 0, 0). Numbers: a precision of precision_layout.hpp.
template <class Numbers>
struct StepFields {
  const typename Numbers::Field* c = nullptr;
  const typename Numbers::Slot* before = nullptr;  // delta'; null: none, at the first step
  typename Numbers::Slot* slot = nullptr;          // far value, then R
};

// The increments of a sub-block before a step, oldest first, and what they count for it: numbers for one medium, tables
// on the device for several.
template <class T>
struct NearSum {
  static constexpr int most = 64;
  int count = 0;
  const T* increments[most] = {};
  T weights[most] = {};
  struct Table {
    const T* data = nullptr;  // of medium 0
    Index stride = 0;         // from medium to medium
  };
  bool by_tables = false;
  int firsts = 0;      // of the increments, 0 or 1, stand in a table of their own
  Table first, table;  // [medium] and [medium][increment]
  HALOCLINE_HD T weight(int n, int medium) const {
    if (!by_tables) return weights[n];
    return n < firsts ? first.data[medium * first.stride] : table.data[medium * table.stride + n - firsts];
  }
};

struct StepNumbers {
  MediumNumbers local;  // A_{l,l}
  double ratio = 0;     // r
  MediumNumbers ahead;  // (1 - theta) r
};

// Rows along x of a box of a part x nodes; eight nodes at a time on the host. Axis: ConstantAxis or VaryingAxis.
template <class Axis, class Numbers = Fp64>
struct RightSideBody {
  SlabLayout slab;
  Axis x, y, z;
  StepFields<Numbers> fields;
  StepNumbers numbers;
  NearSum<typename Numbers::Slot> near;
  NodeValue mu, sigma, reaction, source;
  NodeMedium medium;
  SlabBox box{};  // of the launch

  Range<2> lines() const {
    return {{0, 0}, {(box.rows.hi - box.rows.lo) * (box.along_y.hi - box.along_y.lo), slab.extent[0]}};
  }
  HALOCLINE_HD void operator()(Index line, Index i) const { visit(plane_of(line), row_of(line), i); }
  // Node i of a row in a plane of the part.
  HALOCLINE_HD void visit(Index plane, Index line, Index i) const {
    const Line of = line_of(plane, line);
    store_as(fields.slot + of.at + i, node<double>(of, i, medium.at(of.at + i)));
  }
  [[gnu::flatten]] void row(Index line, Index begin, Index end) const {
    const RightSideBody body = *this;  // that no store can change
    const Line of = body.line_of(body.plane_of(line), body.row_of(line));
    auto* const to = body.fields.slot + of.at;
    for (Index i = begin; i < end; i += lanes) {
      if (body.medium.alike(of.at + i)) {
        const auto right = body.template node<Pack<double>>(of, i, body.medium.at(of.at + i));
        store_as(to + i, clear_from(static_cast<int>(end - i), 0, right));
      } else {
        for (Index n = i; n < i + lanes && n < end; ++n)
          store_as(to + n, body.template node<double>(of, n, body.medium.at(of.at + n)));
      }
    }
  }

  template <class P>
  struct Rows {
    AxisRow<P> x, y, z;
  };
  template <class P>
  struct NodeCoefficients {
    P mu, sigma, reaction, source;
  };
  template <class P>
  HALOCLINE_HD NodeCoefficients<P> node_coefficients(Index at) const {
    return {mu.load<P>(at), sigma.load<P>(at), reaction.load<P>(at), source.load<P>(at)};
  }
  // R of nodes. near: V at the nodes, middle(), and at their neighbors, west() to above(); H plus A r delta', past().
  template <class P, class Near>
  HALOCLINE_HD static P right(const NodeCoefficients<P>& of, const Rows<P>& rows, const Near& near) {
    const P v = near.middle();
    P sum = (rows.x.di + rows.y.di + rows.z.di) * v;
    sum = fma(rows.x.lo, near.west(), sum);
    sum = fma(rows.x.up, near.east(), sum);
    sum = fma(rows.y.lo, near.south(), sum);
    sum = fma(rows.y.up, near.north(), sum);
    sum = fma(rows.z.lo, near.below(), sum);
    sum = fma(rows.z.up, near.above(), sum);
    sum = fma(strips::minus(of.reaction), v, sum) + of.source;
    sum = fma(strips::minus(of.sigma), near.past(), sum);
    return of.mu * sum;
  }
  // V as a row needs it that lies `ahead` of the level.
  template <class P>
  HALOCLINE_HD P value(Index at, double ahead) const {
    const P c = load_unaligned<P>(fields.c + at);
    return fields.before == nullptr ? c : fma(ahead, load_unaligned<P>(fields.before + at), c);
  }
  // H plus A r delta'.
  template <class P>
  HALOCLINE_HD P past(const P& history, const P& before, int m) const {
    // Rounded before it is added, as by a compiler that sees a choice here: fma keeps others from fusing the two.
    return history + fma(numbers.local.of[m] * numbers.ratio, before, zero<P>());
  }

 private:
  HALOCLINE_HD Index plane_of(Index line) const { return box.rows.lo + line / (box.along_y.hi - box.along_y.lo); }
  HALOCLINE_HD Index row_of(Index line) const { return box.along_y.lo + line % (box.along_y.hi - box.along_y.lo); }
  // A line, global numbers of its row and plane, and the way from its nodes to those of the lines beside it.
  struct Line {
    Index at, j, k;
    Index south, north, below, above;
  };
  HALOCLINE_HD Line line_of(Index plane, Index line) const {
    const Index j = slab.first_row + line, k = slab.first + plane;
    return {
        slab.offset(plane, line, 0), j, k, y.shape.before(j), y.shape.behind(j), z.shape.before(k), z.shape.behind(k)};
  }
  // Of the neighbors along x of nodes i, i + 1, ..; padding lies beyond the ends of a line.
  template <class P>
  HALOCLINE_HD P west(Index at, Index i, double ahead) const {
    if (!is_pack<P>) return value<P>(at + x.shape.before(i), ahead);
    const P values = value<P>(at - 1, ahead);
    return i > 0 ? values : with_lane(values, 0, value<double>(at + x.shape.before(0), ahead));
  }
  template <class P>
  HALOCLINE_HD P east(Index at, Index i, double ahead) const {
    if (!is_pack<P>) return value<P>(at + x.shape.behind(i), ahead);
    const P values = value<P>(at + 1, ahead);
    const Index last = x.shape.rows - 1 - i;
    if (last >= lanes) return values;
    return with_lane(values, static_cast<int>(last), value<double>(at + last + x.shape.behind(i + last), ahead));
  }
  template <class P>
  HALOCLINE_HD P history(Index at, int m) const {
    using Q = Like<P, typename Numbers::Slot>;
    Q sum = load<Q>(fields.slot + at);
    for (int n = 0; n < near.count; ++n) sum = fma(near.weight(n, m), load<Q>(near.increments[n] + at), sum);
    return converted<P>(sum);
  }
  // What right() asks for, from memory: of nodes i, i + 1, .. of medium m.
  template <class P>
  struct Nearby {
    const RightSideBody& body;
    const Line& of;
    Index at, i;
    int m;
    double ahead;
    HALOCLINE_HD P middle() const { return body.template value<P>(at, ahead); }
    HALOCLINE_HD P west() const { return body.template west<P>(at, i, ahead); }
    HALOCLINE_HD P east() const { return body.template east<P>(at, i, ahead); }
    HALOCLINE_HD P south() const { return body.template value<P>(at + of.south, ahead); }
    HALOCLINE_HD P north() const { return body.template value<P>(at + of.north, ahead); }
    HALOCLINE_HD P below() const { return body.template value<P>(at + of.below, ahead); }
    HALOCLINE_HD P above() const { return body.template value<P>(at + of.above, ahead); }
    HALOCLINE_HD P past() const {
      const P sum = body.template history<P>(at, m);
      return body.fields.before == nullptr ? sum : body.past(sum, load_as<P>(body.fields.before + at), m);
    }
  };
  template <class P>
  HALOCLINE_HD P node(const Line& of, Index i, int m) const {
    const Index at = of.at + i;
    const Rows<P> rows{contiguous_row<P>(x, at, i), y.template row<P>(at, of.j), z.template row<P>(at, of.k)};
    return right<P>(node_coefficients<P>(at), rows, Nearby<P>{*this, of, at, i, m, numbers.ahead.of[m]});
  }
};

// What a step adds: C and the slot's increment from the solution of the last sweep. C grows by the increment as the
// slot keeps it.
template <class Numbers>
struct UpdateOf {
  typename Numbers::Field* c;
  const typename Numbers::Slot* before;  // delta'; null: none
  typename Numbers::Slot* slot;
  double ratio;
  template <class P>
  HALOCLINE_HD void take(Index at, const P& w) const {
    using C = Like<P, typename Numbers::Field>;
    take(at, w, before == nullptr ? w : halocline::load<P>(before + at), halocline::load<C>(c + at));
  }
  // The same with delta', where there is one, and C at hand.
  template <class P, class C>
  HALOCLINE_HD void take(Index at, const P& w, const P& increment, const C& value) const {
    const auto share = static_cast<typename Numbers::Line>(ratio);
    const P delta = before == nullptr ? w : fma(share, increment, w);
    store(slot + at, delta);
    store(c + at, value + converted<C>(delta));
  }
};
using UpdateField = UpdateOf<Fp64>;

}  // namespace halocline::fractional
