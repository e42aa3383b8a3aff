// What `check` tells about a deck: rules across keys, cost, and what a restart must have in common.
#pragma once

#include "lib/problems/problem.hpp"

namespace halocline::fractional {

Plan plan(const Options& options, const Shape& shape, Faults& faults);

}  // namespace halocline::fractional
