// Bodies of coarse_rows.hpp and coarsening.hpp.
#pragma once

#include "lib/amg/setup/point_layout.hpp"
#include "lib/linalg/sparse/numbering_kernels.hpp"

namespace halocline::amg {

struct IsCoarseBody {
  const PointKind* kind;  // from the first own row on
  View<Index, 1> count;
  HALOCLINE_HD void operator()(Index row) const { count(row) = kind[row] == points::coarse ? 1 : 0; }
};

struct NumberCoarseBody {
  const PointKind* kind;  // from the first own row on
  View<const Index, 1> before;
  Index first;
  Index* number;
  HALOCLINE_HD void operator()(Index row) const {
    number[row] = kind[row] == points::coarse ? first + before(row) : -1;
  }
};

// What a number of a row becomes for the row of the next level.
struct OfCoarseRowBody {
  const Index* coarse;  // numbers of C-points, of own rows; -1 elsewhere
  const Index* number;
  Index first;
  View<Index, 1> to;
  HALOCLINE_HD void operator()(Index row) const {
    if (coarse[row] >= 0) to(coarse[row] - first) = number[row];
  }
};

struct GlobalColumnBody {
  const LocalIndex* col;
  sparse::GlobalNumbering global;
  Index* to;
  HALOCLINE_HD void operator()(Index n) const { to[n] = global(col[n]); }
};

struct NumberBody {
  Index first;
  Index* to;
  HALOCLINE_HD void operator()(Index n) const { to[n] = first + n; }
};

struct NarrowBody {
  const Index* from;
  LocalIndex* to;
  HALOCLINE_HD void operator()(Index n) const { to[n] = static_cast<LocalIndex>(from[n]); }
};

}  // namespace halocline::amg
