// What a log says of a hierarchy.
#pragma once

#include <string>
#include <vector>

#include "lib/amg/setup/facts.hpp"

namespace halocline::amg {

// Lines: a level each, with its rows, entries, interpolation, weights, format and place, then complexities and why
// there are no more levels, then what was done where formulas do not hold.
std::vector<std::string> level_table(const HierarchyFacts& facts);

}  // namespace halocline::amg
