// Bodies of rank_rows.hpp.
#pragma once

#include "lib/linalg/sparse/crs_layout.hpp"

namespace halocline::sparse {

// A lane's entries of a row go where their columns belong: behind all smaller ones.
struct RankRowBody {
  CrsView<double> from;
  LocalIndex* col;
  double* val;
  const LocalIndex* list;  // of rows; null: all
  Index most;              // entries of a row; longer ones are left out
  Index lanes;
  HALOCLINE_HD void operator()(Index n, Index lane) const {
    const Index row = list != nullptr ? list[n] : n;
    const Index first = from.ptr.data[row], end = from.ptr.data[row + 1];
    if (end - first > most) return;
    for (Index e = first + lane; e < end; e += lanes) {
      const LocalIndex column = from.col.data[e];
      Index at = first;
      for (Index other = first; other < end; ++other) at += from.col.data[other] < column ? 1 : 0;
      col[at] = column;
      val[at] = from.val.data[e];
    }
  }
};

}  // namespace halocline::sparse
