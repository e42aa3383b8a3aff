// Body that finds strong couplings; see strength.hpp.
#pragma once

#include "lib/amg/setup/row_layout.hpp"

namespace halocline::amg {

// Returns 1 if the row depends on anything.
struct StrengthBody {
  LevelRows rows;
  const LocalIndex* component;  // of local columns; null: all the same
  double theta, dominance;
  unsigned char* strong;
  double *diagonal, *sizes;

  HALOCLINE_HD static double size(double value) { return value < 0 ? -value : value; }
  HALOCLINE_HD static double larger(double a, double b) { return a < b ? b : a; }
  HALOCLINE_HD bool counts(LocalIndex own, LocalIndex column) const {
    return component == nullptr || component[own] == component[column];
  }

  HALOCLINE_HD int operator()(Index row) const {
    const LocalIndex own = rows.local(row);
    const Index begin = rows.ptr[row], end = rows.ptr[row + 1];
    double sum = 0, all_sizes = 0, center = 0, most_positive = 0, most_negative = 0;
    for (Index e = begin; e < end; ++e) {
      const LocalIndex column = rows.col[e];
      const double value = rows.val[e];
      all_sizes += size(value);
      if (!counts(own, column)) continue;
      sum += value;
      if (column == own) {
        center = value;
      } else {
        most_positive = larger(most_positive, value);
        most_negative = larger(most_negative, -value);
      }
    }
    diagonal[row] = center;
    sizes[row] = all_sizes;
    const double sign = center < 0 ? 1 : -1;  // of couplings that may be strong
    const double least = theta * (center < 0 ? most_positive : most_negative);
    const bool alone = size(sum) > dominance * size(center);
    int any = 0;
    for (Index e = begin; e < end; ++e) {
      const double coupling = sign * rows.val[e];
      const bool is = !alone && coupling > 0 && coupling >= least && rows.col[e] != own && counts(own, rows.col[e]);
      strong[e] = is ? 1 : 0;
      if (is) any = 1;
    }
    return any;
  }
};

// The order of the sum is that of StrengthBody.
struct RowSizesBody {
  LevelRows rows;
  double *diagonal, *sums;
  HALOCLINE_HD void operator()(Index row) const {
    const LocalIndex own = rows.local(row);
    double sum = 0, center = 0;
    for (Index e = rows.ptr[row]; e < rows.ptr[row + 1]; ++e) {
      sum += StrengthBody::size(rows.val[e]);
      if (rows.col[e] == own) center = rows.val[e];
    }
    diagonal[row] = center;
    sums[row] = sum;
  }
};

struct Either {
  HALOCLINE_HD int operator()(int a, int b) const { return a | b; }
};

}  // namespace halocline::amg
