// Reading: what the readers of a deck's blocks share on the way from options to a Formulation.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/expression/scope.hpp"
#include "lib/problems/fractional/formulation.hpp"

namespace halocline::fractional {

// Passes faults on and counts them.
class Reading final : public Faults {
 public:
  using Faults::at;
  Reading(const FractionalOptions& options, Faults& faults);

  void at(std::string_view path, const std::string& message) override;
  void at(const Place& place, const std::string& message) override;
  int faults() const { return count_; }
  // At a key of the block: "equation.D".
  void fault(const std::string& key, const std::string& message) { at("fractional." + key, message); }

  const BlockOptions& block() const { return options_.block; }
  const VerifyOptions& verify() const { return options_.verify; }
  Expression variable(int place) const { return scope_.variable(place); }
  // Nothing, with its faults reported, for a formula that is wrong.
  std::optional<Expression> parse(const Formula& formula, std::span<const char* const> allowed);
  // The same as a number or a program; `otherwise` where it is not given, 0 where it is wrong.
  Coefficient coefficient(const Formula& formula, std::span<const char* const> allowed, double otherwise);

 private:
  const FractionalOptions& options_;
  Faults& next_;
  int count_ = 0;
  std::vector<FormulaFault> scope_faults_;  // the reader of the deck has reported them
  Scope scope_;
};

// Of an expression of the first of `variables`.
Program program_of(const Expression& expression);
Coefficient coefficient_of(const Expression& expression);

// Each fills what its block decides. Faults of a block do not hide those of another.
void read_grid(Reading& reading, Formulation& f);       // dimensions 0: nothing can be used
void read_sides(Reading& reading, Formulation& f);      // makes axes of the grid periodic
void read_equation(Reading& reading, Formulation& f);   // but the order
void read_time(Reading& reading, Formulation& f);       // orders, scheme, levels
void read_history(Reading& reading, Formulation& f);    // after read_time
void read_verify(Reading& reading, Formulation& f);     // after all others
void read_precision(Reading& reading, Formulation& f);  // after read_history

// The published scheme: what l1_t, lod and series ask of all blocks, and gamma.
void check_published(Reading& reading, Formulation& f);

// Values of formulas of place at the nodes, and of sides at t = 0.
void check_node_values(Reading& reading, Formulation& f);

}  // namespace halocline::fractional
