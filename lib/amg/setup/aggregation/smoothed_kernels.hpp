// Bodies of smoothed.hpp.
#pragma once

#include "lib/amg/setup/row_layout.hpp"
#include "lib/base/view.hpp"

namespace halocline::amg {

// Rows of I - diag(w) A_F, A_F the rows of a level without weak couplings.
struct FilteredRows {
  LevelRows rows;
  const unsigned char* strong;  // null: nothing is left out
  HALOCLINE_HD bool kept(Index row, Index e) const {
    return strong == nullptr || strong[e] != 0 || rows.col[e] == rows.local(row);
  }
};

struct CountFilteredBody {
  FilteredRows a;
  View<Index, 1> count;
  HALOCLINE_HD void operator()(Index row) const {
    Index found = 0;
    for (Index e = a.rows.ptr[row]; e < a.rows.ptr[row + 1]; ++e) found += a.kept(row, e) ? 1 : 0;
    count(row) = found;
  }
};

struct SmootherRowBody {
  FilteredRows a;
  const Index* start;
  LocalIndex* col;
  double* val;
  HALOCLINE_HD static double size(double value) { return value < 0 ? -value : value; }

  HALOCLINE_HD void operator()(Index row) const {
    const LocalIndex own = a.rows.local(row);
    double center = 0, weak = 0, others = 0;
    for (Index e = a.rows.ptr[row]; e < a.rows.ptr[row + 1]; ++e) {
      const double value = a.rows.val[e];
      if (a.rows.col[e] == own) {
        center = value;
      } else if (a.kept(row, e)) {
        others += size(value);
      } else {
        weak += value;
      }
    }
    // Weak couplings go to the diagonal, which keeps the sum of the row, unless too little would be left there.
    const double lumped = center + weak;
    const bool left = (center < 0 ? -lumped : lumped) >= 0.1 * size(center);
    const double diagonal = left ? lumped : center;
    const double bound = 4.0 / 3 * (size(diagonal) / (others + size(diagonal)));
    const double weight = diagonal == 0 ? 0 : (bound < 2.0 / 3 ? bound : 2.0 / 3) / diagonal;
    Index at = start[row];
    for (Index e = a.rows.ptr[row]; e < a.rows.ptr[row + 1]; ++e) {
      if (!a.kept(row, e)) continue;
      const bool is_own = a.rows.col[e] == own;
      col[at] = a.rows.col[e];
      val[at++] = is_own ? 1 - weight * diagonal : -(weight * a.rows.val[e]);
    }
  }
};

}  // namespace halocline::amg
