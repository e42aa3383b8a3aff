// Bodies of the model problem's levels, see model_level.hpp. Rows are counted in the whole level; `first`, `coarse`:
// the rows that vectors of the level and of the next one begin with.
#pragma once

#include "lib/base/types.hpp"

namespace halocline::multigrid {

// r = f - A u, A with (below, diagonal, above) in every row; vectors have a ghost on either side.
template <class T>
struct ModelResidualBody {
  T below, diagonal, above;
  const T *f, *u;
  T* r;
  Index first;
  HALOCLINE_HD void operator()(Index row) const {
    const Index i = row - first;
    r[i] = f[i] - (diagonal * u[i] + (below * u[i - 1] + above * u[i + 1]));
  }
};

// u += weight r, or u = weight r
template <class T>
struct ModelUpdateBody {
  T weight;
  bool from_zero;
  const T* r;
  T* u;
  Index first;
  HALOCLINE_HD void operator()(Index row) const {
    const Index i = row - first;
    u[i] = (from_zero ? T{0} : u[i]) + weight * r[i];
  }
};

// f = sums of pairs of r, by coarse rows
template <class T>
struct ModelRestrictBody {
  const T* r;
  T* f;
  Index first, coarse;
  HALOCLINE_HD void operator()(Index row) const { f[row - coarse] = r[2 * row - first] + r[2 * row + 1 - first]; }
};

// u += e, every coarse value twice
template <class T>
struct ModelProlongBody {
  const T* e;
  T* u;
  Index first, coarse;
  HALOCLINE_HD void operator()(Index row) const { u[row - first] += e[row / 2 - coarse]; }
};

}  // namespace halocline::multigrid
