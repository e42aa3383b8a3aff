// The grid that a deck asks for. Unknowns are cells (layout fv) or points without the ring of ghosts (layout hiperc);
// both are called cells in this family.
#pragma once

#include "lib/fields/uniform_grid.hpp"
#include "lib/problems/diffusion/options.hpp"

namespace halocline::diffusion {

// `reach`: radius of the mask. Reports faults and goes on with what can be used; dimensions 0: nothing can.
UniformGrid make_grid(const GridOptions& options, int reach, Faults& faults);

}  // namespace halocline::diffusion
