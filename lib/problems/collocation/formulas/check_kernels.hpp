// Bodies for gpu/launch.hpp: whether values of formulas can be used.
#pragma once

#include "lib/base/types.hpp"

namespace halocline::collocation {

// What reduce() finds first: the lowest number, or none.
struct First {
  static constexpr Index none = Index{1} << 62;
  HALOCLINE_HD Index operator()(Index a, Index b) const { return b < a ? b : a; }
};

// Columns x pieces: the column, where check_coefficients() would find a fault. Without branches, for SIMD registers:
// only from a value that is not finite does subtracting it not leave 0; a > 0 and a c > b^2 imply c > 0.
struct BadCoefficients {
  const double* values;  // [column][coefficient][point]
  Index points, chunk;   // of a column, of a piece
  double most;           // that eta may be

  HALOCLINE_HD Index operator()(Index column, Index piece) const {
    const double *a = values + 6 * column * points, *b = a + points, *c = b + points, *d = c + points, *e = d + points,
                 *eta = e + points;
    const Index behind = (piece + 1) * chunk, end = behind < points ? behind : points;
    int bad = 0;
    for (Index g = piece * chunk; g < end; ++g) {
      const double spread =
          ((a[g] - a[g]) + (b[g] - b[g])) + ((c[g] - c[g]) + (d[g] - d[g])) + ((e[g] - e[g]) + (eta[g] - eta[g]));
      bad |= !(spread == 0) | !(a[g] > 0) | !(a[g] * c[g] - b[g] * b[g] > 0) | (eta[g] > most);
    }
    return bad ? column : First::none;
  }
};

// Lines x pieces: the line, where a number is not finite.
struct NotFinite {
  const double* values;  // [line][number]
  Index size, chunk;     // of a line, of a piece

  HALOCLINE_HD Index operator()(Index line, Index piece) const {
    const double* v = values + line * size;
    const Index behind = (piece + 1) * chunk, end = behind < size ? behind : size;
    int bad = 0;
    for (Index n = piece * chunk; n < end; ++n) bad |= !(v[n] - v[n] == 0);
    return bad ? line : First::none;
  }
};

// Zero in place of what is not finite.
struct DropNotFinite {
  double* values;
  HALOCLINE_HD void operator()(Index n) const {
    if (!(values[n] - values[n] == 0)) values[n] = 0;
  }
};

}  // namespace halocline::collocation
