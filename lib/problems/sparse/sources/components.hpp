// Which unknown of a system of equations a row is.
#pragma once

#include <vector>

#include "lib/problems/sparse/formulation.hpp"
#include "lib/problems/sparse/sources/row_numbers.hpp"

namespace halocline::sparse {

constexpr Index most_components = 1000;

// Of own rows, numbered by `numbers` where it is not empty; nothing where preconditioners need not know. Throws
// DeckError on all ranks where a file tells anything but whole numbers from 0 to most_components - 1. Collective.
std::vector<Array<Index, 1>> components_of(const RowSpace& rows, const Formulation& formulation,
                                           const BlockOptions& options, const RowNumbers& numbers);

}  // namespace halocline::sparse
