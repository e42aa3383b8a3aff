// What line solves of the sweeps ask for: rows of I - nu Lambda_a with coefficients that vary, and their right-hand
// side in a field.
#pragma once

#include "lib/problems/fractional/space/row_kernels.hpp"

namespace halocline::fractional {

// Axis: ConstantAxis or VaryingAxis. contiguous: rows lie beside each other, so the lanes of a pack are rows.
template <class Axis, bool contiguous>
struct SweepRows {
  Axis axis;
  NodeValue nu;
  const double* w;
  template <class P>
  HALOCLINE_HD strips::LineRow<P> row(Index at, Index i) const {
    const P right = halocline::load<P>(w + at), one = filled<P>(1.0);
    if constexpr (contiguous && is_pack<P>) {
      const AxisRow<P> rows = contiguous_row<P>(axis, at, i);
      return made(rows, nu.load<P>(at), one, right);
    } else {
      return made(axis.template row<P>(at, i), nu.load<P>(at), one, right);
    }
  }

 private:
  template <class P>
  HALOCLINE_HD static strips::LineRow<P> made(const AxisRow<P>& row, const P& n, const P& one, const P& right) {
    return {n * row.lo, fma(strips::minus(n), row.di, one), n * row.up, right};
  }
};

}  // namespace halocline::fractional
