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
  // Pointers are copied, since bytes that are written may alias everything.
  HALOCLINE_HD int operator()(Index row) const {
    const LocalIndex own = rows.local(row);
    const LocalIndex *const col = rows.col, *const components = component;
    const double* const val = rows.val;
    unsigned char* const to = strong;
    const auto counts = [own, components](LocalIndex column) {
      return components == nullptr || components[own] == components[column];
    };
    const Index begin = rows.ptr[row], end = rows.ptr[row + 1];
    double sum = 0, all_sizes = 0, center = 0, most_positive = 0, most_negative = 0;
    for (Index e = begin; e < end; ++e) {
      const LocalIndex column = col[e];
      const double value = val[e];
      all_sizes += size(value);
      if (!counts(column)) continue;
      sum += value;
      const bool diagonal = column == own;
      center = diagonal ? value : center;
      const double coupling = diagonal ? 0 : value;
      most_positive = larger(most_positive, coupling);
      most_negative = larger(most_negative, -coupling);
    }
    diagonal[row] = center;
    sizes[row] = all_sizes;
    const double sign = center < 0 ? 1 : -1;  // of couplings that may be strong
    const double least = theta * (center < 0 ? most_positive : most_negative);
    const int possible = size(sum) > dominance * size(center) ? 0 : 1;
    int any = 0;
    for (Index e = begin; e < end; ++e) {
      const double coupling = sign * val[e];
      const int is = possible & (coupling > 0 ? 1 : 0) & (coupling >= least ? 1 : 0) & (col[e] != own ? 1 : 0) &
                     (counts(col[e]) ? 1 : 0);
      to[e] = static_cast<unsigned char>(is);
      any |= is;
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
