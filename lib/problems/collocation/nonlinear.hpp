// What depends on u in the block `equation` of a deck: div (k grad u) and the source. For formulate().
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "lib/expression/formula_reader.hpp"
#include "lib/problems/collocation/discretization/coefficients.hpp"
#include "lib/problems/collocation/formulation.hpp"

namespace halocline::collocation {

// Variables of expressions that depend on the solution.
constexpr int state_count = 8;
constexpr std::array<const char*, state_count> state_names{"x", "y", "u", "u_x", "u_y", "u_xx", "u_xy", "u_yy"};
// Which of them a coefficient multiplies.
constexpr std::array<int, coefficient_count> state_of{5, 6, 7, 3, 4, 2};

using Coefficients = std::array<Expression, coefficient_count>;  // of x and y

class StateTerms {
 public:
  // Reads `k` and `source`; what is wrong is reported to `reader`, which parses formulas of x and y.
  StateTerms(const CollocationOptions& options, FormulaReader& reader);

  bool good() const { return good_; }
  // k, where it depends on x and y alone.
  std::optional<Expression> k_of_place() const;
  // Whether the equation is not linear in u.
  bool nonlinear() const { return source_ || (k_ && !k_of_place()); }

  // For an equation that is not linear, with `linear` coefficients besides. E + f, that is:
  Expression without_f(const Coefficients& linear) const;
  // An expression of the state at a function of x and y.
  Expression at(const Expression& state, const Expression& function) const;
  // The equation for `f`, linearized at `start`, goes to `made`.
  void formulate(Formulation& made, const Coefficients& linear, const Expression& f, const Expression& start,
                 const NewtonOptions& newton) const;

 private:
  Expression lifted(const Expression& of_place) const;  // into the state's variables
  Expression divergence() const;

  std::vector<Expression> place_, state_;  // the variables
  std::optional<Expression> k_, source_;   // of the state
  bool good_ = true;
};

}  // namespace halocline::collocation
