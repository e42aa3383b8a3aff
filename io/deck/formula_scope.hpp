// FormulaScope: the formulas of one deck against lib/expression, with faults given as formula and character, so that
// the reader can find their place across folded lines.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/base/describe.hpp"
#include "lib/expression/scope.hpp"

namespace halocline {

struct TextFault {
  std::size_t formula = 0;    // number of the formula: constants first, then definitions; 0 for a single formula
  std::size_t character = 0;  // of the text
  std::string message;        // with an excerpt of the formula and a caret in further lines
};

class FormulaScope {
 public:
  // Replaces the names that formulas may use. Texts must be one line.
  std::vector<TextFault> define(const Definitions& definitions, std::span<const char* const> variables);
  // Faults of a formula that may use `variables` and what is defined.
  std::vector<TextFault> check(const std::string& text, std::span<const char* const> variables);

 private:
  Definitions definitions_;  // with their number as line
  std::vector<std::string> variables_;
  std::optional<Scope> scope_;

  void cover(std::span<const char* const> variables);
};

// The number `text` stands for, or nothing and the reason in `reason`.
std::optional<double> read_number(const std::string& text, std::string& reason);

}  // namespace halocline
