#include "io/deck/formula_scope.hpp"

#include <algorithm>
#include <utility>

namespace halocline {
namespace {

// lib/expression reports the place of a character as the formula's place moved along its line. Numbering the formulas
// by line makes its places readable as (formula, character).
Formula numbered(std::string text, std::size_t number) {
  return {std::move(text), {"", static_cast<int>(number) + 1, 1}};
}

std::vector<TextFault> to_text_faults(const std::vector<FormulaFault>& faults) {
  std::vector<TextFault> found;
  for (const FormulaFault& fault : faults) {
    const auto count = [](int position) { return static_cast<std::size_t>(std::max(position - 1, 0)); };
    found.push_back({count(fault.place.line), count(fault.place.column), fault.text()});
  }
  return found;
}

}  // namespace

std::vector<TextFault> FormulaScope::define(const Definitions& definitions, std::span<const char* const> variables) {
  definitions_ = {};
  definitions_.data = definitions.data;
  std::size_t number = 0;
  for (const auto& [name, formula] : definitions.constants) {
    definitions_.constants.emplace_back(name, numbered(formula.text, number++));
  }
  for (const Formula& formula : definitions.definitions) {
    definitions_.definitions.push_back(numbered(formula.text, number++));
  }
  variables_.assign(variables.begin(), variables.end());
  std::vector<FormulaFault> faults;
  scope_.emplace(variables, definitions_, faults);
  return to_text_faults(faults);
}

// Makes a scope that knows `variables` too. Faults of the definitions have been reported by define().
void FormulaScope::cover(std::span<const char* const> variables) {
  bool known = scope_.has_value();
  for (const char* variable : variables) {
    if (std::find(variables_.begin(), variables_.end(), variable) != variables_.end()) continue;
    variables_.emplace_back(variable);
    known = false;
  }
  if (known) return;
  std::vector<const char*> names;
  for (const std::string& name : variables_) names.push_back(name.c_str());
  std::vector<FormulaFault> reported_before;
  scope_.emplace(names, definitions_, reported_before);
}

std::vector<TextFault> FormulaScope::check(const std::string& text, std::span<const char* const> variables) {
  cover(variables);
  std::vector<FormulaFault> faults;
  scope_->parse(numbered(text, 0), variables, faults);
  return to_text_faults(faults);
}

std::optional<double> read_number(const std::string& text, std::string& reason) {
  std::vector<FormulaFault> faults;
  const std::optional<double> value = parse_number(numbered(text, 0), faults);
  if (!faults.empty()) reason = faults.front().message;
  return value;
}

}  // namespace halocline
