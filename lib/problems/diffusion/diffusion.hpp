// Family diffusion: explicit steps with a stencil in two and three dimensions. See docs/diffusion.md.
#pragma once

#include "lib/problems/problem.hpp"

namespace halocline {

const Family& diffusion_family();

}  // namespace halocline
