#include "lib/expression/expression.hpp"

#include <array>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/expression/graph.hpp"

namespace halocline {

namespace {

double operand_value(const std::vector<double>& values, const ExpressionGraph::Node& node, std::size_t i) {
  return static_cast<int>(i) < arity(node.operation) ? values[static_cast<std::size_t>(node.operands[i])] : 0;
}

}  // namespace

Expression::Expression(std::shared_ptr<ExpressionGraph> graph, int node) : graph_(std::move(graph)), node_(node) {
  if (!graph_->is_constant(node_)) return;
  // A number carries no graph, so that it combines with expressions of any scope.
  value_ = graph_->node(node_).value;
  graph_.reset();
  node_ = -1;
}

double Expression::value() const {
  require(is_constant(), "Expression::value: not a number");
  return value_;
}

bool Expression::depends_on(int variable) const {
  if (is_constant()) return false;
  for (int index : graph_->reachable(std::span(&node_, 1))) {
    const ExpressionGraph::Node& node = graph_->node(index);
    if (node.operation == Operation::variable && node.operands[0] == variable) return true;
  }
  return false;
}

int Expression::size() const {
  return is_constant() ? 1 : static_cast<int>(graph_->reachable(std::span(&node_, 1)).size());
}

Expression combine(Operation operation, std::initializer_list<Expression> operands) {
  require(arity(operation) > 0 && static_cast<int>(operands.size()) == arity(operation),
          "combine: wrong number of operands");
  std::shared_ptr<ExpressionGraph> graph;
  for (const Expression& operand : operands) {
    if (operand.is_constant()) continue;
    require(!graph || graph == operand.graph(), "combine: expressions come from different scopes");
    graph = operand.graph();
  }
  if (!graph) {
    std::array<double, 3> values{};
    std::size_t count = 0;
    for (const Expression& operand : operands) values[count++] = operand.value();
    return fold(operation, values[0], values[1], values[2]);
  }
  std::array<int, 3> nodes{-1, -1, -1};
  std::size_t count = 0;
  for (const Expression& operand : operands) {
    nodes[count++] = operand.is_constant() ? graph->constant(operand.value()) : operand.node();
  }
  return {graph, graph->make(operation, nodes[0], nodes[1], nodes[2])};
}

Expression look(const std::shared_ptr<const Raster>& raster, const std::array<Expression, 3>& place) {
  std::shared_ptr<ExpressionGraph> graph;
  for (const Expression& coordinate : place) {
    if (coordinate.is_constant()) continue;
    require(!graph || graph == coordinate.graph(), "look: expressions come from different scopes");
    graph = coordinate.graph();
  }
  if (!graph) return raster->view.look(place[0].value(), place[1].value(), place[2].value());
  std::array<int, 3> nodes{};
  for (std::size_t axis = 0; axis < nodes.size(); ++axis)
    nodes[axis] = place[axis].is_constant() ? graph->constant(place[axis].value()) : place[axis].node();
  return {graph, graph->look(raster, nodes)};
}

Expression operator+(const Expression& a, const Expression& b) { return combine(Operation::add, {a, b}); }
Expression operator-(const Expression& a, const Expression& b) { return combine(Operation::subtract, {a, b}); }
Expression operator*(const Expression& a, const Expression& b) { return combine(Operation::multiply, {a, b}); }
Expression operator/(const Expression& a, const Expression& b) { return combine(Operation::divide, {a, b}); }
Expression operator-(const Expression& a) { return combine(Operation::negate, {a}); }
Expression power(const Expression& base, const Expression& exponent) {
  return combine(Operation::power, {base, exponent});
}

bool operator==(const Expression& a, const Expression& b) {
  if (a.is_constant() && b.is_constant()) return a.value_ == b.value_;
  return a.graph_ == b.graph_ && a.node_ == b.node_;
}

double evaluate(const Expression& expression, std::span<const double> variables) {
  if (expression.is_constant()) return expression.value();
  const ExpressionGraph& graph = *expression.graph();
  require(variables.size() >= graph.variables().size(), "evaluate: one value per variable of the scope");
  const int root = expression.node();
  std::vector<double> values(static_cast<std::size_t>(root) + 1);
  for (int index : graph.reachable(std::span(&root, 1))) {
    const ExpressionGraph::Node& node = graph.node(index);
    double& value = values[static_cast<std::size_t>(index)];
    if (node.operation == Operation::constant) {
      value = node.value;
    } else if (node.operation == Operation::variable) {
      value = variables[static_cast<std::size_t>(node.operands[0])];
    } else if (node.operation == Operation::look) {
      value = graph.raster(node)->view.look(operand_value(values, node, 0), operand_value(values, node, 1),
                                            operand_value(values, node, 2));
    } else {
      value = apply(node.operation, operand_value(values, node, 0), operand_value(values, node, 1),
                    operand_value(values, node, 2));
    }
  }
  return values.back();
}

}  // namespace halocline
