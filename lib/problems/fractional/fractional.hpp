// The family fractional: time-fractional diffusion with the psi-Caputo derivative on boxes. See docs/fractional.md.
#pragma once

#include "lib/problems/problem.hpp"

namespace halocline {

const Family& fractional_family();

}  // namespace halocline
