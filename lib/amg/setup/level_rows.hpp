// The rows of a part of a square matrix for bodies of the set-up.
#pragma once

#include "lib/amg/setup/row_layout.hpp"
#include "lib/linalg/sparse/dist_crs.hpp"

namespace halocline::amg {

inline LevelRows level_rows(const sparse::DistCrs& a, int part) {
  const sparse::CrsView<double> view = a.view(part);
  return {view.ptr.data, view.col.data, view.val.data, a.ghosts(part).below, a.rows().own_size(part)};
}

}  // namespace halocline::amg
