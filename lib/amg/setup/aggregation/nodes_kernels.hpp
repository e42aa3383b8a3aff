// Bodies of nodes.hpp.
#pragma once

#include <cmath>

#include "lib/amg/setup/row_layout.hpp"
#include "lib/base/view.hpp"

namespace halocline::amg {

// Ones, one a row.
struct OneEntryBody {
  View<Index, 1> ptr;  // one more than rows
  View<double, 1> val;
  HALOCLINE_HD void operator()(Index n) const {
    ptr(n) = n;
    if (n < val.extent[0]) val(n) = 1;
  }
};

struct CountUpBody {
  Index first;
  View<Index, 1> to;
  HALOCLINE_HD void operator()(Index n) const { to(n) = first + n; }
};

struct SquareBody {
  const double* from;
  double* to;
  HALOCLINE_HD void operator()(Index n) const { to[n] = from[n] * from[n]; }
};

struct RootBody {
  double* values;
  HALOCLINE_HD void operator()(Index n) const { values[n] = std::sqrt(values[n]); }
};

struct DiagonalBody {
  LevelRows rows;
  double* diagonal;  // of own rows
  HALOCLINE_HD void operator()(Index row) const {
    diagonal[row] = 0;
    for (Index e = rows.ptr[row]; e < rows.ptr[row + 1]; ++e)
      if (rows.col[e] == rows.local(row)) diagonal[row] = rows.val[e];
  }
};

// Returns 1 if the node has a strong coupling.
struct NodeStrengthBody {
  LevelRows rows;          // norms of blocks
  const double* diagonal;  // of local columns
  double theta;
  unsigned char* strong;
  HALOCLINE_HD int operator()(Index row) const {
    const LocalIndex own = rows.local(row);
    int any = 0;
    for (Index e = rows.ptr[row]; e < rows.ptr[row + 1]; ++e) {
      const LocalIndex column = rows.col[e];
      const double least = (theta * diagonal[own]) * (theta * diagonal[column]);
      const bool is = column != own && rows.val[e] * rows.val[e] > least;
      strong[e] = is ? 1 : 0;
      if (is) any = 1;
    }
    return any;
  }
};

// 1 where values[row] is the number c.
struct IndicatorBody {
  const Index* values;
  Index c;
  double* to;
  HALOCLINE_HD void operator()(Index row) const { to[row] = values[row] == c ? 1 : 0; }
};

}  // namespace halocline::amg
