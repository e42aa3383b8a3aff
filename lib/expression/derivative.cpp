// Symbolic differentiation in forward mode: the derivative of every node from those of its operands.
#include <array>
#include <numbers>
#include <span>
#include <unordered_map>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/expression/expression.hpp"
#include "lib/expression/graph.hpp"

namespace halocline {

namespace {

constexpr double two_over_root_pi = 2 * std::numbers::inv_sqrtpi;

bool is_zero(const Expression& e) { return e.is_constant() && e.value() == 0; }

Expression square(const Expression& e) { return e * e; }

// d f(u) = f'(u) du, where f is the node itself.
Expression unary_rule(Operation operation, const Expression& f, const Expression& u, const Expression& du) {
  switch (operation) {
    case Operation::negate:
      return -du;
    case Operation::sin:
      return combine(Operation::cos, {u}) * du;
    case Operation::cos:
      return -(combine(Operation::sin, {u}) * du);
    case Operation::tan:
      return (1 + square(f)) * du;
    case Operation::asin:
      return du / combine(Operation::sqrt, {1 - square(u)});
    case Operation::acos:
      return -(du / combine(Operation::sqrt, {1 - square(u)}));
    case Operation::atan:
      return du / (1 + square(u));
    case Operation::sinh:
      return combine(Operation::cosh, {u}) * du;
    case Operation::cosh:
      return combine(Operation::sinh, {u}) * du;
    case Operation::tanh:
      return (1 - square(f)) * du;
    case Operation::exp:
      return f * du;
    case Operation::log:
      return du / u;
    case Operation::log10:
      return du / (std::numbers::ln10 * u);
    case Operation::sqrt:
      return 0.5 * du / f;
    case Operation::cbrt:
      return du / (3 * square(f));
    case Operation::erf:
      return two_over_root_pi * combine(Operation::exp, {-square(u)}) * du;
    case Operation::erfc:
      return -(two_over_root_pi * combine(Operation::exp, {-square(u)}) * du);
    case Operation::abs:
      return combine(Operation::sign, {u}) * du;
    default:  // floor, ceil, sign, step, random: constant on every branch
      return 0;
  }
}

// d u^v; a constant exponent or base avoids logarithms and their restriction to positive bases.
Expression power_rule(const Expression& f, const std::array<Expression, 3>& x, const std::array<Expression, 3>& dx) {
  const auto& [u, v, unused] = x;
  Expression sum = 0;
  if (!is_zero(dx[0])) sum = v * power(u, v - 1) * dx[0];
  if (!is_zero(dx[1])) sum = sum + f * combine(Operation::log, {u}) * dx[1];
  return sum;
}

Expression rule(Operation operation, const Expression& f, const std::array<Expression, 3>& x,
                const std::array<Expression, 3>& dx) {
  switch (operation) {
    case Operation::add:
      return dx[0] + dx[1];
    case Operation::subtract:
      return dx[0] - dx[1];
    case Operation::multiply:
      return dx[0] * x[1] + x[0] * dx[1];
    case Operation::divide:
      return is_zero(dx[1]) ? dx[0] / x[1] : (dx[0] - f * dx[1]) / x[1];
    case Operation::power:
      return power_rule(f, x, dx);
    case Operation::atan2:
      return (x[1] * dx[0] - x[0] * dx[1]) / (square(x[0]) + square(x[1]));
    case Operation::hypot:
      return (x[0] * dx[0] + x[1] * dx[1]) / f;
    case Operation::mod:
      return is_zero(dx[1]) ? dx[0] : dx[0] - combine(Operation::floor, {x[0] / x[1]}) * dx[1];
    case Operation::min:
      return combine(Operation::select, {combine(Operation::less, {x[1], x[0]}), dx[1], dx[0]});
    case Operation::max:
      return combine(Operation::select, {combine(Operation::less, {x[0], x[1]}), dx[1], dx[0]});
    case Operation::select:
      return combine(Operation::select, {x[0], dx[1], dx[2]});
    case Operation::less:
    case Operation::less_equal:
      return 0;
    default:
      return unary_rule(operation, f, x[0], dx[0]);
  }
}

// What a raster interpolates linearly has a slope between two values along an axis, the outermost one beyond the
// border.
Expression slope(const std::shared_ptr<const Raster>& raster, const std::array<Expression, 3>& place,
                 std::size_t axis) {
  const RasterView& view = raster->view;
  if (view.extent[axis] == 1) return 0;
  if (view.interpolation != Interpolation::linear)
    throw DeckError("a name of `data` with interpolation nearest or conservative jumps and has no derivative by place");
  const auto last = static_cast<double>(view.extent[axis] - 2);
  const Expression cell = combine(Operation::floor, {(place[axis] - view.origin[axis]) / view.spacing[axis]});
  const Expression low = combine(Operation::max, {combine(Operation::min, {cell, last}), 0});
  std::array<Expression, 3> from = place, to = place;
  from[axis] = view.origin[axis] + view.spacing[axis] * low;
  to[axis] = view.origin[axis] + view.spacing[axis] * (low + 1);
  return (look(raster, to) - look(raster, from)) / view.spacing[axis];
}

Expression slope(const std::shared_ptr<const Raster>& raster, const std::array<Expression, 3>& place,
                 const std::array<Expression, 3>& along) {
  Expression sum = 0;
  for (std::size_t axis = 0; axis < along.size(); ++axis)
    if (!is_zero(along[axis])) sum = sum + slope(raster, place, axis) * along[axis];
  return sum;
}

}  // namespace

Expression derivative(const Expression& expression, int variable) {
  if (expression.is_constant()) return 0;
  const std::shared_ptr<ExpressionGraph> graph = expression.graph();
  require(variable >= 0 && variable < static_cast<int>(graph->variables().size()), "derivative: no such variable");
  const int root = expression.node();
  std::unordered_map<int, Expression> derivatives;
  for (int index : graph->reachable(std::span(&root, 1))) {
    const ExpressionGraph::Node node = graph->node(index);  // a copy: the graph grows below
    std::array<Expression, 3> x, dx;
    bool constant = true;
    for (std::size_t i = 0; static_cast<int>(i) < arity(node.operation); ++i) {
      x[i] = Expression(graph, node.operands[i]);
      dx[i] = derivatives.at(node.operands[i]);
      constant = constant && is_zero(dx[i]);
    }
    Expression& result = derivatives[index];
    if (node.operation == Operation::variable) {
      result = node.operands[0] == variable ? 1 : 0;
    } else if (!constant && node.operation == Operation::look) {
      result = slope(graph->raster(node), x, dx);
    } else if (!constant) {
      result = rule(node.operation, Expression(graph, index), x, dx);
    }
  }
  return derivatives.at(root);
}

}  // namespace halocline
