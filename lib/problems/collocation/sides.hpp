// Sides: the block `sides` of a deck turned into boundary data, from pieces.hpp. For formulate().
#pragma once

#include <array>
#include <optional>

#include "lib/expression/formula_reader.hpp"
#include "lib/problems/collocation/discretization/boundary.hpp"
#include "lib/problems/collocation/options.hpp"
#include "lib/problems/collocation/pieces.hpp"

namespace halocline::collocation {

// Data of all sides, from `exact` when f is manufactured, and conditions where they vary; nothing, with faults
// reported, when something is wrong.
std::optional<Boundary> read_boundary(const CollocationOptions& options, FormulaReader& reader, const Axis& x,
                                      const Axis& y, const std::array<Pieces, 4>& pieces,
                                      const std::optional<Expression>& exact);

}  // namespace halocline::collocation
