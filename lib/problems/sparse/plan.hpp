// What `check` tells about a deck: rules across keys, the sharing out of rows, memory, and what a restart must have in
// common.
#pragma once

#include "lib/problems/problem.hpp"

namespace halocline::sparse {

Plan plan(const Options& options, const Shape& shape, Faults& faults);

}  // namespace halocline::sparse
