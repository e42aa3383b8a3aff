// Bodies of vanishing_rows.hpp.
#pragma once

#include "lib/amg/setup/row_layout.hpp"

namespace halocline::amg {

struct DiagonalSizeBody {
  const double* diagonal;
  double* to;
  HALOCLINE_HD void operator()(Index row) const { to[row] = diagonal[row] < 0 ? -diagonal[row] : diagonal[row]; }
};

// What a row of the restriction makes of magnitudes.
struct NextMagnitudeBody {
  LevelRows rows;
  const double* fine;  // of local columns
  double* to;
  HALOCLINE_HD void operator()(Index row) const {
    double sum = 0;
    for (Index e = rows.ptr[row]; e < rows.ptr[row + 1]; ++e) sum += rows.val[e] * rows.val[e] * fine[rows.col[e]];
    to[row] = sum;
  }
};

struct ClearVanishingBody {
  // Of magnitudes. Sums of the rows of a null set are at most 1e-12 of what their entries are on the finest level.
  static constexpr double small_sum = 1e-11, small_diagonal = 1e-14;
  LevelRows rows;
  double* val;
  const double* magnitude;
  const Index* null_set;  // null: there is none

  HALOCLINE_HD static double size(double value) { return value < 0 ? -value : value; }
  HALOCLINE_HD void operator()(Index row) const {
    const LocalIndex own = rows.local(row);
    const Index begin = rows.ptr[row], end = rows.ptr[row + 1];
    Index center = -1;
    double others = 0;
    for (Index e = begin; e < end; ++e) {
      if (rows.col[e] == own) {
        center = e;
      } else {
        others += val[e];
      }
    }
    if (center < 0) return;
    if (null_set != nullptr && null_set[row] != 0 && size(val[center] + others) <= small_sum * magnitude[row])
      val[center] = -others;
    if (size(val[center]) > small_diagonal * magnitude[row]) return;
    for (Index e = begin; e < end; ++e) val[e] = 0;
  }
};

}  // namespace halocline::amg
