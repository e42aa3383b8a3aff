// Bodies of symmetric_strength.hpp.
#pragma once

#include "lib/amg/setup/row_layout.hpp"

namespace halocline::amg {

// The strongest coupling of a row, of the sign that counts.
struct StrongestBody {
  LevelRows rows;
  const double* diagonal;
  double* strongest;  // of own rows
  HALOCLINE_HD void operator()(Index row) const {
    const double sign = diagonal[row] < 0 ? 1 : -1;
    double most = 0;
    for (Index e = rows.ptr[row]; e < rows.ptr[row + 1]; ++e) {
      const double coupling = sign * rows.val[e];
      if (rows.col[e] != rows.local(row) && coupling > most) most = coupling;
    }
    strongest[row] = most;
  }
};

// Returns 1 if the row has a strong coupling.
struct SymmetricBody {
  LevelRows rows;
  const double* diagonal;
  const double* strongest;  // of local columns
  double theta;
  unsigned char* strong;

  HALOCLINE_HD int operator()(Index row) const {
    const LocalIndex own = rows.local(row);
    const double sign = diagonal[row] < 0 ? 1 : -1;
    int any = 0;
    for (Index e = rows.ptr[row]; e < rows.ptr[row + 1]; ++e) {
      const LocalIndex column = rows.col[e];
      const double coupling = sign * rows.val[e];
      const bool is = column != own && coupling > 0 &&
                      coupling * coupling >= (theta * strongest[own]) * (theta * strongest[column]);
      strong[e] = is ? 1 : 0;
      if (is) any = 1;
    }
    return any;
  }
};

}  // namespace halocline::amg
