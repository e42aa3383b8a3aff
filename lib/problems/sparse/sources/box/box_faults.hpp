// Texts for what is wrong with the coefficients of a row of a box.
#pragma once

#include <string>

#include "lib/problems/sparse/sources/box/box_kernels.hpp"
#include "lib/problems/sparse/sources/box/box_model.hpp"

namespace halocline::sparse {

// With the place of the formula in the deck and that of the row; axis and side: of a face, where it is one's fault.
std::string fault_text(const BoxModel& model, BoxFault fault, int axis, int side, Index row);

}  // namespace halocline::sparse
