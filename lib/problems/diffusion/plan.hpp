// What `check` tells about a deck: rules across keys, cost, and what a restart must have in common.
#pragma once

#include <string>

#include "lib/problems/diffusion/options.hpp"
#include "lib/problems/diffusion/stencil.hpp"
#include "lib/problems/problem.hpp"

namespace halocline::diffusion {

Plan plan(const Options& options, const Shape& shape, Faults& faults);

// Pieces of what a restart must have in common.
std::string names_text(const Definitions& names);
std::string walls_text(const WallsOptions& walls);
std::string grid_text(const UniformGrid& grid, const Stencil& stencil);

}  // namespace halocline::diffusion
