// Shared by the tests of formulas: short ways to parse.
#pragma once

#include <string>
#include <vector>

#include "lib/expression/scope.hpp"

namespace halocline::test {

inline constexpr const char* xyz[] = {"x", "y", "z"};

inline Formula at(std::string text, int line, int column) { return {std::move(text), {"deck.yaml", line, column}}; }
inline Formula formula(std::string text) { return at(std::move(text), 1, 1); }

// "d7" from "d" and 7.
inline std::string numbered(const char* name, int number) { return std::string(name).append(std::to_string(number)); }

inline Expression parse(const std::string& text) { return Scope(xyz).parse(formula(text)); }

// Value of a formula in x, y, z.
inline double value(const std::string& text, double x = 0, double y = 0, double z = 0) {
  const double point[] = {x, y, z};
  return evaluate(parse(text), point);
}

}  // namespace halocline::test
