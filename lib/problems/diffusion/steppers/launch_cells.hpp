// Launches bodies on the cells of a part; for sources of halocline_kernels().
#pragma once

#include "gpu/launch.hpp"
#include "lib/problems/diffusion/convolve_kernels.hpp"

namespace halocline::diffusion {

/// A body of (z, y) on the host and (z, y, x) on a GPU, on rows of the slow axis and, in 3D, along y.
template <class Body>
void launch_cells(const Executor& executor, const Label& label, const ConvolveBlock<double>& b, const SlabBox& cells,
                  const Body& body) {
  if (cells.rows.lo >= cells.rows.hi) return;
  const bool deep = b.dimensions == 3;
  const Rows z = deep ? cells.rows : Rows{0, 1}, y = deep ? cells.along_y : cells.rows;
  const Range<2> box{{z.lo, y.lo}, {z.hi, y.hi}};
  if (executor.backend() == Backend::cuda) {
    launch(executor, label, Range<3>{{box.lo[0], box.lo[1], 0}, {box.hi[0], box.hi[1], b.extent[0]}}, body);
  } else {
    launch_on_host(executor, label, box, body);
  }
}

}  // namespace halocline::diffusion
