// The fixed table of functions and reserved names of formulas. For use inside lib/expression.
#pragma once

#include <span>
#include <string_view>

#include "lib/expression/program_kernels.hpp"

namespace halocline {

struct Function {
  std::string_view name;
  Operation operation;
};

// All functions but `if`, which is grammar.
std::span<const Function> functions();
// The function `name`, or null.
const Function* find_function(std::string_view name);

}  // namespace halocline
