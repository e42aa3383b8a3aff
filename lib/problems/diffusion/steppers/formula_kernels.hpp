// Body for gpu/launch.hpp: a formula of (x, y, z, t, c) on the cells of a block, halo included.
#pragma once

#include "lib/expression/program_kernels.hpp"
#include "lib/problems/diffusion/convolve_kernels.hpp"

namespace halocline::diffusion {

// Worker w evaluates pieces w, w + workers, ...: rows on the host (registers of `width` values), cells on a GPU
// (width 1). `out` and `c` are laid out as the arrays of the block and show to its cell (0, 0, 0).
struct EvaluateFormula {
  ProgramView program;
  ConvolveBlock<double> block;
  const double *x, *y, *z;  // coordinates of cell 0 along the axes; along the slow one also of the halo
  double t;
  const double* c;  // null where the formula does not use it
  double* out;
  convolve::Rows rows;  // of the slow axis
  double* scratch;      // workers * registers * width
  Index workers;
  int width;

  HALOCLINE_HD void operator()(Index worker) const {
    const Index across = block.extent[0], inner = block.dimensions == 3 ? block.extent[1] : 1;
    const Index count = (rows.hi - rows.lo) * inner;
    if (width == 1) {
      for (Index n = worker; n < count * across; n += workers) piece(worker, n / across, n % across, 1);
    } else {
      for (Index n = worker; n < count; n += workers) piece(worker, n, 0, across);
    }
  }

 private:
  HALOCLINE_HD void piece(Index worker, Index row, Index first, Index points) const {
    const bool deep = block.dimensions == 3;
    const Index j = deep ? row % block.extent[1] : rows.lo + row, k = deep ? rows.lo + row / block.extent[1] : 0;
    const Index place = block.offset(k, j, first);
    const ProgramInput inputs[5] = {
        {x + first, false}, {y + j, true}, {z + k, true}, {&t, true}, {c == nullptr ? nullptr : c + place, false}};
    double* const results[1] = {out + place};
    const EvaluateProgram body{program, inputs, results, scratch + worker * program.register_count * width,
                               points,  1,      width};
    body(0);
  }
};

}  // namespace halocline::diffusion
