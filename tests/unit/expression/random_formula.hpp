// Random formulas for property tests.
#pragma once

#include <random>
#include <string>

#include "lib/expression/expression.hpp"
#include "lib/expression/scope.hpp"

namespace halocline::test {

// A random tree of the given depth in the scope's first variables; finite for moderate points, mostly.
inline Expression random_expression(const Scope& scope, std::mt19937& random, int depth, int variables = 3) {
  const auto pick = [&random](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
  if (depth == 0 || pick(8) == 0) {
    if (pick(3) > 0) return scope.variable(pick(variables));
    const double numbers[] = {0, 1, -1, 2, 0.5, -3, 0.1, 1.0 / 3.0, 1e-7, -2.5e10, 16, 4};
    return numbers[pick(12)];
  }
  const auto below = [&] { return random_expression(scope, random, depth - 1, variables); };
  const int first = static_cast<int>(Operation::negate), last = static_cast<int>(Operation::max);
  const auto operation = static_cast<Operation>(first + pick(last - first + 2));
  const Expression a = below();
  if (operation > Operation::max) {
    const Operation comparison = pick(2) == 0 ? Operation::less : Operation::less_equal;
    const Expression b = below(), c = below(), d = below();
    return combine(Operation::select, {combine(comparison, {a, b}), c, d});
  }
  if (arity(operation) == 1) return combine(operation, {a});
  if (pick(3) == 0) return combine(Operation::multiply, {a, below()});
  return combine(operation, {a, below()});
}

}  // namespace halocline::test
