// Jumps of a free energy, which its derivative knows nothing of.
#pragma once

#include <optional>

#include "lib/expression/program.hpp"

namespace halocline::diffusion {

// Programs of (x, y, z, t, c) that use c alone: f and its derivative.
// A place between low and high where f jumps, if one is found: where its values on both sides differ by more than its
// slopes there explain, however near to each other they are looked at. Values that are no numbers are passed over.
std::optional<double> find_jump(const Program& f, const Program& derivative, double low, double high);

}  // namespace halocline::diffusion
