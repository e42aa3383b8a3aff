// Rows of Lambda_a, the diffusion and drift of one axis at a node:
//   (Lambda_a U)_i = lo U_{i-1} + di U_i + up U_{i+1} + data,   data = (2/h) D g at natural ends
// with g the outward derivative given there. Faces lie between nodes; the ends of an axis are nodes. Flux form: with
// node weights of 1/2 at natural ends, columns sum to the flux through the ends alone.
#pragma once

#include "lib/base/fma.hpp"
#include "lib/base/pack.hpp"
#include "lib/linalg/strips/strip_kernels.hpp"
#include "lib/problems/fractional/space/lane_kernels.hpp"

namespace halocline::fractional {

// One number in every lane.
template <class P, class T>
HALOCLINE_HD inline P filled(T number) {
  return number * strips::one_like(zero<P>());
}

// A value on every node of a part: a number, or a field.
struct NodeValue {
  const double* data = nullptr;
  double number = 0;
  template <class P>
  HALOCLINE_HD P load(Index at) const {
    return data == nullptr ? filled<P>(number) : halocline::load<P>(data + at);
  }
  template <class P>
  HALOCLINE_HD P load_unaligned(Index at) const {
    return data == nullptr ? filled<P>(number) : fractional::load_unaligned<P>(data + at);
  }
};

template <class P>
struct AxisRow {
  P lo, di, up;
};

// What the end of an axis is: a neighbor beyond it, a given value, or a given derivative.
enum class End { periodic, dirichlet, natural };

// The shape of an axis: which nodes lie beside a node in memory.
struct AxisShape {
  Index rows = 1, stride = 1;  // of the whole axis; from node to node
  End low = End::natural, high = End::natural;
  bool ghosts = false;  // beyond a part's nodes lie those of its neighbors, also around a periodic axis

  // From node number i to its neighbors; 0 where there is none. Rows have no coefficient for those.
  HALOCLINE_HD Index before(Index i) const {
    if (i > 0) return -stride;
    return low != End::periodic ? 0 : ghosts ? -stride : (rows - 1) * stride;
  }
  HALOCLINE_HD Index behind(Index i) const {
    if (i < rows - 1) return stride;
    return high != End::periodic ? 0 : ghosts ? stride : (1 - rows) * stride;
  }
  HALOCLINE_HD bool is_dirichlet(Index i) const {
    return (i == 0 && low == End::dirichlet) || (i == rows - 1 && high == End::dirichlet);
  }
  // The share of a cell that belongs to a node.
  HALOCLINE_HD double share(Index i) const {
    return (i == 0 && low == End::natural) || (i == rows - 1 && high == End::natural) ? 0.5 : 1;
  }
};

// Coefficients that do not vary: rows by their place.
struct ConstantAxis {
  AxisShape shape;
  AxisRow<double> first, middle, last;
  HALOCLINE_HD const AxisRow<double>& at(Index i) const { return i == 0 ? first : i == shape.rows - 1 ? last : middle; }
  template <class P>
  HALOCLINE_HD AxisRow<P> row(Index /*at*/, Index i) const {
    const AxisRow<double>& of = at(i);
    return {filled<P>(of.lo), filled<P>(of.di), filled<P>(of.up)};
  }
  template <class P>
  HALOCLINE_HD AxisRow<P> inner_rows(Index /*at*/) const {
    return {filled<P>(middle.lo), filled<P>(middle.di), filled<P>(middle.up)};
  }
};

HALOCLINE_HD inline double positive_part(double a) { return a > 0 ? a : 0; }
HALOCLINE_HD inline double harmonic_mean(double a, double b) { return a + b > 0 ? 2 * a * b / (a + b) : 0; }
// The same in every lane.
template <class T>
HALOCLINE_HD inline Pack<T> positive_part(Pack<T> a) {
  const typename Pack<T>::Register none{};
  for (int i = 0; i < Pack<T>::registers; ++i) a.r[i] = a.r[i] > none ? a.r[i] : none;
  return a;
}
template <class T>
HALOCLINE_HD inline Pack<T> harmonic_mean(Pack<T> a, const Pack<T>& b) {
  const typename Pack<T>::Register none{};
  for (int i = 0; i < Pack<T>::registers; ++i) {
    const typename Pack<T>::Register sum = a.r[i] + b.r[i];
    a.r[i] = sum > none ? 2 * a.r[i] * b.r[i] / sum : none;
  }
  return a;
}
template <class P>
HALOCLINE_HD inline P negative_part(const P& a) {
  return strips::minus(positive_part(strips::minus(a)));
}

// Coefficients that vary from node to node.
struct VaryingAxis {
  AxisShape shape;
  NodeValue D, v;         // diffusivity and velocity along the axis
  double scale = 1;       // of D along this axis
  double cells = 1;       // to a unit of length: 1 / h
  double mean_scale = 1;  // scale / h
  bool harmonic = true;   // mean of D at faces; else arithmetic
  bool upwind = false;    // velocity; else central
  double transfer_low = 0, transfer_high = 0;

  // U of node i and its neighbor beyond a face leave through it as  out U_i + in U_neighbor,  away from i.
  template <class P>
  struct Face {
    P out, in;
  };

  // Of a node.
  template <class P>
  struct Node {
    P D, v;
  };
  template <class P>
  HALOCLINE_HD Node<P> node(Index at) const {
    return {D.load<P>(at), v.load<P>(at)};
  }
  // The face between a node and the one behind it, as the first of them sees it. `in` is minus the flux that the value
  // of the node behind causes.
  template <class P>
  HALOCLINE_HD Face<P> face_behind(const Node<P>& here, const Node<P>& behind) const {
    const P mean = mean_scale * (harmonic ? harmonic_mean(here.D, behind.D) : 0.5 * (here.D + behind.D));
    const P speed = 0.5 * (here.v + behind.v);
    // By fma, so that no compiler fuses the sum with the product before it: both sides of a face see the same bits.
    if (upwind) return {fma(1.0, positive_part(speed), mean), fma(-1.0, negative_part(speed), mean)};
    return {fma(0.5, speed, mean), fma(-0.5, speed, mean)};
  }
  // As the other one sees it.
  template <class P>
  HALOCLINE_HD static Face<P> from_behind(const Face<P>& face) {
    return {face.in, face.out};
  }

  template <class P>
  HALOCLINE_HD AxisRow<P> row(Index at, Index i) const {
    return row_among(i, node<P>(at + shape.before(i)), node<P>(at), node<P>(at + shape.behind(i)));
  }
  // Row i of the node `here`; those beside it beyond natural ends may be anything.
  template <class P>
  HALOCLINE_HD AxisRow<P> row_among(Index i, const Node<P>& before, const Node<P>& here, const Node<P>& behind) const {
    return row_between(i, here, from_behind(face_behind(before, here)), face_behind(here, behind));
  }
  // Row i with its faces at hand, as the node sees them; those beyond natural ends are not looked at.
  template <class P>
  HALOCLINE_HD AxisRow<P> row_between(Index i, const Node<P>& here, const Face<P>& low, const Face<P>& high) const {
    const P none = zero<P>();
    if (i > 0 && i < shape.rows - 1) return inner_row(low, high);
    AxisRow<P> row{none, none, none};
    if (shape.is_dirichlet(i)) return row;
    const bool first = is_first(i), last = is_last(i);
    const double width = first || last ? 2 * cells : cells;  // 1 / width of the cell of this node
    if (!first) {
      row.lo = width * low.in;
      row.di = fma(-width, low.out, row.di);
    }
    if (!last) {
      row.up = width * high.in;
      row.di = fma(-width, high.out, row.di);
    }
    if (first) row.di = fma(width, here.v, fma(-(width * transfer_low * scale), here.D, row.di));
    if (last) row.di = fma(-width, here.v, fma(-(width * transfer_high * scale), here.D, row.di));
    return row;
  }
  // What node i and the one `towards` (-1 or 1) of it have for each other, on the mean: the symmetric part of their
  // rows, for a whole cell. 0 where there is no such node.
  HALOCLINE_HD double coupling(Index at, Index i, int towards) const {
    const Index beyond = towards < 0 ? shape.before(i) : shape.behind(i);
    if (beyond == 0) return 0;
    const Node<double> here = node<double>(at), there = node<double>(at + beyond);
    const Face<double> face = towards < 0 ? face_behind(there, here) : face_behind(here, there);
    return 0.5 * cells * (face.out + face.in);
  }
  // Of an axis along x: the lanes are neighboring rows, taken as if none were at an end.
  template <class P>
  HALOCLINE_HD AxisRow<P> inner_rows(Index at) const {
    const auto beside = [&](Index of) { return Node<P>{D.load_unaligned<P>(of), v.load_unaligned<P>(of)}; };
    const Node<P> here = node<P>(at);
    const Face<P> low = from_behind(face_behind(beside(at - 1), here)), high = face_behind(here, beside(at + 1));
    return inner_row(low, high);
  }

 private:
  template <class P>
  HALOCLINE_HD AxisRow<P> inner_row(const Face<P>& low, const Face<P>& high) const {
    return {cells * low.in, fma(-cells, high.out, fma(-cells, low.out, zero<P>())), cells * high.in};
  }
  HALOCLINE_HD bool is_first(Index i) const { return i == 0 && shape.low == End::natural; }
  HALOCLINE_HD bool is_last(Index i) const { return i == shape.rows - 1 && shape.high == End::natural; }
};

// Row by row along an axis: the face behind a row is the one before the next, so that its mean is made once.
template <class P>
class RowWalk {
 public:
  using Node = VaryingAxis::Node<P>;
  // From the node `here` on. `before` of the first of all may be anything where there is none.
  HALOCLINE_HD RowWalk(const VaryingAxis& axis, const Node& before, const Node& here)
      : here_(here), low_(VaryingAxis::from_behind(axis.face_behind(before, here))) {}
  // Of the row to come.
  HALOCLINE_HD const Node& here() const { return here_; }
  // Row i, and on to the node behind it.
  HALOCLINE_HD AxisRow<P> next(const VaryingAxis& axis, Index i, const Node& behind) {
    const auto high = axis.face_behind(here_, behind);
    const AxisRow<P> row = axis.row_between(i, here_, low_, high);
    here_ = behind;
    low_ = VaryingAxis::from_behind(high);
    return row;
  }

 private:
  Node here_;
  VaryingAxis::Face<P> low_;
};

// Rows i .. i + 7 of a line along x, whose lanes are neighboring rows; zero beyond the last.
template <class P, class Axis>
HALOCLINE_HD inline AxisRow<P> contiguous_row(const Axis& axis, Index at, Index i) {
  if constexpr (!is_pack<P>) {
    return axis.template row<P>(at, i);
  } else {
    AxisRow<P> rows = axis.template inner_rows<P>(at);
    const Index last = axis.shape.rows - 1 - i;
    if (i > 0 && last >= lanes) return rows;
    const auto set = [&](Index lane) {
      const AxisRow<double> row = axis.template row<double>(at + lane, i + lane);
      const int l = static_cast<int>(lane);
      rows = {with_lane(rows.lo, l, row.lo), with_lane(rows.di, l, row.di), with_lane(rows.up, l, row.up)};
    };
    if (i == 0) set(0);
    if (last >= lanes) return rows;
    set(last);
    const int beyond = static_cast<int>(last) + 1;
    return {clear_from(beyond, 0, rows.lo), clear_from(beyond, 0, rows.di), clear_from(beyond, 0, rows.up)};
  }
}

}  // namespace halocline::fractional
