// What is wrong with a formula, where, and how it is shown.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lib/base/describe.hpp"
#include "lib/base/error.hpp"

namespace halocline {

struct FormulaFault {
  Place place;          // in the deck
  std::string message;  // one sentence
  std::string excerpt;  // the formula's line and, below it, a caret; both indented, joined by a newline
  // Message and excerpt, without the place.
  std::string text() const { return excerpt.empty() ? message : message + "\n" + excerpt; }
};

// The fault at character `offset` of the formula's text. After a line break in the text the column is unknown (0).
FormulaFault fault_in(const Formula& formula, std::size_t offset, std::string message);

// "file:line:column: message", then the excerpt, for each fault.
class ExpressionError : public DeckError {
 public:
  explicit ExpressionError(std::vector<FormulaFault> faults);
  const std::vector<FormulaFault>& faults() const { return faults_; }

 private:
  std::vector<FormulaFault> faults_;
};

}  // namespace halocline
