#pragma once

#include "lib/base/view.hpp"

namespace halocline {

// One explicit step of u_t = D laplace(u): cells (z, y, x), no flux through the x and y walls, ghost planes along z.
struct DiffuseBody {
  View<const double, 3> u;
  View<double, 3> next;
  double rx, ry, rz;  // D dt / h^2
  HALOCLINE_HD void operator()(Index k, Index j, Index i) const {
    const double c = u(k, j, i);
    const double west = i > 0 ? u(k, j, i - 1) : c, east = i + 1 < u.extent[2] ? u(k, j, i + 1) : c;
    const double south = j > 0 ? u(k, j - 1, i) : c, north = j + 1 < u.extent[1] ? u(k, j + 1, i) : c;
    next(k, j, i) =
        c + rx * (west - 2 * c + east) + ry * (south - 2 * c + north) + rz * (u(k - 1, j, i) - 2 * c + u(k + 1, j, i));
  }
};

}  // namespace halocline
