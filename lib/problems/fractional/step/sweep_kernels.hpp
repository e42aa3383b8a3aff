// What line solves of the sweeps ask for: rows of I - nu Lambda_a with coefficients that vary, and their right-hand
// side in a field.
#pragma once

#include "lib/problems/fractional/space/row_kernels.hpp"

namespace halocline::fractional {

// Axis: ConstantAxis or VaryingAxis. contiguous: rows lie beside each other, so the lanes of a pack are rows. T: of the
// line solves, double or float; coefficients are made in double.
template <class Axis, bool contiguous, class T>
struct SweepRows {
  Axis axis;
  NodeValue nu;
  const T* w;
  template <class P>
  HALOCLINE_HD strips::LineRow<P> row(Index at, Index i) const {
    using D = Like<P, double>;
    const P right = halocline::load<P>(w + at);
    const D n = nu.load<D>(at);
    if constexpr (contiguous && is_pack<P>) {
      return made<P>(contiguous_row<D>(axis, at, i), n, right);
    } else {
      return made<P>(axis.template row<D>(at, i), n, right);
    }
  }

 private:
  template <class P, class D>
  HALOCLINE_HD static strips::LineRow<P> made(const AxisRow<D>& row, const D& n, const P& right) {
    const D one = filled<D>(1.0);
    return {converted<P>(n * row.lo), converted<P>(fma(strips::minus(n), row.di, one)), converted<P>(n * row.up),
            right};
  }
};

}  // namespace halocline::fractional
