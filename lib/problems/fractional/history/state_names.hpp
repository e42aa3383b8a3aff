// Names of the arrays of a checkpoint, and lines for people.
#pragma once

#include <string>

#include "lib/base/types.hpp"

namespace halocline::fractional {

/// "state_007"
std::string numbered(const char* name, int digits, Index number);
/// Of no terms: the run ends within its first block.
std::string exponentials_text(int terms, double error, int block);
std::string direct_text(int block);
std::string series_text(int terms);

}  // namespace halocline::fractional
