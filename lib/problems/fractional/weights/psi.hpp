// TimeChange: the increasing function s = psi(t) by which the derivative measures time, and its inverse.
#pragma once

#include <functional>

#include "lib/expression/expression.hpp"

namespace halocline::fractional {

struct TimeChange {
  std::function<double(double)> value;
  std::function<double(double)> slope;  // psi'(t) where it is known; empty: inverses bisect
};

// A formula of t alone, compiled. `variable` is the place of t in the scope's list of `variables` names.
std::function<double(double)> function_of_time(const Expression& formula, int variable, int variables);

// psi as a formula, compiled, with its derivative; see function_of_time().
TimeChange time_change(const Expression& psi, int variable, int variables);

// The t in [low, high] with psi(t) = s, to 1e-15 of high: Newton inside a bracket, bisection where that leaves it or
// has no use. psi must increase and psi(low) <= s <= psi(high); s outside gives the nearer end.
double inverse(const TimeChange& psi, double s, double low, double high);

}  // namespace halocline::fractional
