// Scope: the names formulas may use, and the one parser of formulas and numbers for all families.
//
//   expr  = term { ("+" | "-") term }            term = unary { ("*" | "/") unary }
//   unary = [ "+" | "-" ] power                  power = atom [ "^" unary ]          (-a^2 is -(a^2), a^b^c is a^(b^c))
//   atom  = number | name | name "(" expr { "," expr } ")" | "(" expr ")"
// Functions: sin cos tan asin acos atan atan2 sinh cosh tanh exp log log10 sqrt cbrt abs min max sign step hypot pow
// mod floor ceil erf erfc and if(a < b, x, y); constant: pi.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/describe.hpp"
#include "lib/expression/expression.hpp"
#include "lib/expression/formula_fault.hpp"

namespace halocline {

class Scope {
 public:
  // Limits against hostile input.
  static constexpr std::size_t max_text = 65536;  // characters of one formula
  static constexpr int max_depth = 200;           // nested parentheses, arguments, signs and powers
  static constexpr int max_nodes = 10000;         // nodes one formula adds to the graph

  // Names `variables`, in this order (they may have a subscript: x[3]), and the names of `definitions`, which may use
  // the variables, the constants and each other in any order. Constants may use other constants. Throws ExpressionError
  // with all faults.
  explicit Scope(std::span<const char* const> variables, const Definitions& definitions = {});
  // Adds faults to `faults` instead; a name with a fault stays known, so that it causes no further faults.
  Scope(std::span<const char* const> variables, const Definitions& definitions, std::vector<FormulaFault>& faults);

  // Parses a formula in all names of the scope. Throws ExpressionError.
  Expression parse(const Formula& formula) const;
  // The same for a formula that may depend on the variables `allowed` only, directly or through definitions
  // (none: the result is a number). Positions of variables remain those of the scope.
  Expression parse(const Formula& formula, std::span<const char* const> allowed) const;
  // The same, adding faults to `faults`, and nothing returned when there are any.
  std::optional<Expression> parse(const Formula& formula, std::vector<FormulaFault>& faults) const;
  std::optional<Expression> parse(const Formula& formula, std::span<const char* const> allowed,
                                  std::vector<FormulaFault>& faults) const;

  // Variable number `position` of the list.
  Expression variable(int position) const;
  // Variable or definition `name`, if there is one.
  std::optional<Expression> find(std::string_view name) const;
  // Names of constants and definitions that no formula has used so far, in the order of their definition.
  std::vector<std::string> unused() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// The number a text without names (except pi) stands for: "2/3", "1e-9", "sqrt(2)". Throws ExpressionError.
double parse_number(const Formula& text);
// The same, adding to `faults`.
std::optional<double> parse_number(const Formula& text, std::vector<FormulaFault>& faults);

// Why `name` cannot be given to something by a deck (bad characters, too long, reserved); empty when it can.
std::string fault_of_name(std::string_view name);

// The name among `known` nearest to `name` (edit distance), or "" when none is near.
std::string nearest_name(std::string_view name, std::span<const std::string> known);

}  // namespace halocline
