// Expressions as text, for tests that compare them or say which one failed.
#pragma once

#include <string>

#include "lib/expression/expression.hpp"

namespace halocline {

// Text in the language of formulas that parses to the same values, with as few parentheses as the grammar allows. Cut
// off with "..." after 100 000 characters.
std::string to_string(const Expression& expression);

}  // namespace halocline
