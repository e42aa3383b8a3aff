// What line solves of the sweeps ask for: rows of I - nu Lambda_a with coefficients that vary, and their right-hand
// side in a field.
#pragma once

#include "lib/problems/fractional/space/row_kernels.hpp"

namespace halocline::fractional {

// Of I - nu Lambda.
template <class P>
HALOCLINE_HD inline strips::LineRow<P> sweep_row(const AxisRow<P>& row, const P& nu, const P& right) {
  return {nu * row.lo, fma(strips::minus(nu), row.di, filled<P>(1.0)), nu * row.up, right};
}

// Axis: ConstantAxis or VaryingAxis. contiguous: rows lie beside each other, so the lanes of a pack are rows. T: of the
// right-hand sides, double or float. Lines are solved in double: where nu Lambda is large, elimination in floats would
// lose what the 1 beside it says.
template <class Axis, bool contiguous, class T>
struct SweepRows {
  Axis axis;
  NodeValue nu;
  const T* w;
  template <class P>
  HALOCLINE_HD strips::LineRow<P> row(Index at, Index i) const {
    const P right = load_as<P>(w + at), n = nu.load<P>(at);
    if constexpr (contiguous && is_pack<P>) {
      return sweep_row<P>(contiguous_row<P>(axis, at, i), n, right);
    } else {
      return sweep_row<P>(axis.template row<P>(at, i), n, right);
    }
  }
};

// What becomes of their solution, in the numbers T of `result`.
template <class T, class Result>
struct RoundedResult {
  Result result;
  template <class P>
  HALOCLINE_HD void take(Index at, const P& u) const {
    result.take(at, converted<Like<P, T>>(u));
  }
};

}  // namespace halocline::fractional
