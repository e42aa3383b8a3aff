// FormulaReader: formulas of a deck turned into expressions, with every fault reported and counted. For the plans of
// families.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/expression/scope.hpp"

namespace halocline {

class FormulaReader final : public Faults {
 public:
  // Names `variables`, in this order, and those of `names`, whose own faults the reader of the deck has reported.
  FormulaReader(std::span<const char* const> variables, const Definitions& names, Faults& faults)
      : faults_(faults), scope_(variables, names, scope_faults_) {}

  void at(std::string_view path, const std::string& message) override {
    ++count_;
    faults_.at(path, message);
  }
  void at(const Place& place, const std::string& message) override {
    ++count_;
    faults_.at(place, message);
  }
  int count() const { return count_; }
  // Whether a name of `names` is bad, a variable's for one.
  const std::vector<FormulaFault>& faults_of_names() const { return scope_faults_; }

  // Variable number `position` of the list.
  Expression variable(int position) const { return scope_.variable(position); }

  std::optional<Expression> parse(const Formula& formula) {
    std::vector<FormulaFault> found;
    auto expression = scope_.parse(formula, found);
    for (const auto& fault : found) at(fault.place, fault.text());
    return found.empty() ? expression : std::nullopt;
  }

 private:
  Faults& faults_;
  int count_ = 0;
  std::vector<FormulaFault> scope_faults_;
  Scope scope_;
};

}  // namespace halocline
