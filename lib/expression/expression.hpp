// Expression: a formula as a value. Handles share one hash-consed graph of nodes, so equal subexpressions are one node.
//
// Expressions come from Scope::parse, from Scope::variable, or from numbers, and are combined with operators, which
// fold constants in double, eliminate 0 and 1, and rewrite small powers. All walks are iterative, whatever the size.
// Building is not thread-safe (the graph grows); everything const is, while nobody builds.
#pragma once

#include <array>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>

#include "lib/expression/program_kernels.hpp"
#include "lib/expression/raster.hpp"

namespace halocline {

class ExpressionGraph;

class Expression {
 public:
  // The number `value` (0 by default). Numbers combine with expressions of any scope.
  Expression(double value = 0) : value_(value) {}  // NOLINT: implicit, so that 2 * u works

  bool is_constant() const { return !graph_; }
  // The number; the expression must be constant.
  double value() const;
  // Whether variable `variable` (its position in the scope's list) occurs, after simplification.
  bool depends_on(int variable) const;
  // Number of distinct nodes below and including this one.
  int size() const;

  friend Expression operator+(const Expression& a, const Expression& b);
  friend Expression operator-(const Expression& a, const Expression& b);
  friend Expression operator*(const Expression& a, const Expression& b);
  friend Expression operator/(const Expression& a, const Expression& b);
  friend Expression operator-(const Expression& a);
  // Whether both are the same node. Equal expressions that are written differently may differ.
  friend bool operator==(const Expression& a, const Expression& b);

  // For the parts of this library: null graph means a number.
  Expression(std::shared_ptr<ExpressionGraph> graph, int node);
  const std::shared_ptr<ExpressionGraph>& graph() const { return graph_; }
  int node() const { return node_; }

 private:
  std::shared_ptr<ExpressionGraph> graph_;
  int node_ = -1;
  double value_ = 0;
};

// base^exponent: integer powers up to +-16 become products, +-1/2 and +-1/3 become sqrt and cbrt.
Expression power(const Expression& base, const Expression& exponent);
// Any operation but the leaves. The operands' number is arity(operation); operands that are not numbers come from one
// scope. Throws DeckError when the graph grows beyond 1 000 000 nodes.
Expression combine(Operation operation, std::initializer_list<Expression> operands);

// What a raster has at a place of three coordinates, which come from one scope.
Expression look(const std::shared_ptr<const Raster>& raster, const std::array<Expression, 3>& place);

// Value at a point, by walking the graph: slow, the oracle of tests. `variables` as listed in the scope, then those
// that only the graph knows.
double evaluate(const Expression& expression, std::span<const double> variables);

// Partial derivative with respect to variable `variable` (its position in the scope's list).
// abs, sign, min, max, step, if, rasters interpolated linearly: derivative of the active branch. Throws DeckError where
// another raster would have to be differentiated by place.
Expression derivative(const Expression& expression, int variable);

// The expression with values[v] in place of variable v of its scope. Values are numbers or come from one scope, the
// expression's own or another one; a variable that does not occur needs no meaningful value.
Expression substitute(const Expression& expression, std::span<const Expression> values);

}  // namespace halocline
