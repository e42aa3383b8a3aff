// Sides: the block `sides` of a deck turned into end conditions and boundary data. For formulate().
#pragma once

#include <array>
#include <optional>

#include "lib/expression/formula_reader.hpp"
#include "lib/problems/collocation/discretization/boundary.hpp"
#include "lib/problems/collocation/options.hpp"

namespace halocline::collocation {

// alpha and beta of the four sides; nothing, with faults reported, when some side's are wrong.
std::optional<std::array<EndCondition, 4>> read_conditions(const CollocationOptions& options, FormulaReader& reader);

// Data of all sides, from `exact` when f is manufactured; nothing, with faults reported, when something is wrong.
std::optional<Boundary> read_boundary(const CollocationOptions& options, FormulaReader& reader, const Axis& x,
                                      const Axis& y, const std::optional<Expression>& exact);

}  // namespace halocline::collocation
