// Launches bodies on the cells of a part; for sources of halocline_kernels().
#pragma once

#include "gpu/launch.hpp"
#include "lib/problems/diffusion/convolve_kernels.hpp"

namespace halocline::diffusion {

/// A body of (z, y) on the host and (z, y, x) on a GPU, on rows of the slow axis.
template <class Body>
void launch_cells(const Executor& executor, const Label& label, const ConvolveBlock<double>& b, Rows rows,
                  const Body& body) {
  if (rows.lo >= rows.hi) return;
  Range<2> box{{0, 0}, {b.extent[2], b.extent[1]}};
  box.lo[b.dimensions == 3 ? 0 : 1] = rows.lo;
  box.hi[b.dimensions == 3 ? 0 : 1] = rows.hi;
  if (executor.backend() == Backend::cuda) {
    launch(executor, label, Range<3>{{box.lo[0], box.lo[1], 0}, {box.hi[0], box.hi[1], b.extent[0]}}, body);
  } else {
    launch_on_host(executor, label, box, body);
  }
}

}  // namespace halocline::diffusion
