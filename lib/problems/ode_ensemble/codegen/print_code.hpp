// How operands and lines of code are written. For codegen.cpp and looped_text.cpp.
#pragma once

#include <string>
#include <vector>

#include "lib/problems/ode_ensemble/codegen/codegen.hpp"

namespace halocline::ode_ensemble {

// Where the arrays are in one function: in its arguments or in its Point.
struct Names {
  const char* number = "R";  // type
  const char *t = "t", *y = "y", *d = "d", *s = "s", *a = "a", *f = "f";
};
constexpr Names in_point{"R", "x.t", "x.y", "x.d", "x.s", "x.a", "x.f"};
constexpr Names in_point_of_doubles{"double", "x.t", "x.y", "x.d", "x.s", "x.a", "x.f"};

std::string element(const char* array, int index);
// In loops the indices are i and j, elements e0, e1, ... and sums sum0, ...
std::string print(const Operand& operand, const Names& names);
// `lines`: of the code that the line belongs to.
std::string print(const CodeLine& line, const std::vector<CodeLine>& lines, const Names& names);

// The statements of a function with loops; results go to `array`. `tables`: it fills kept values.
std::string looped_body(const LoopedCode& code, const Names& names, const char* array, bool tables);

}  // namespace halocline::ode_ensemble
