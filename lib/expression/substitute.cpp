// Substitution of expressions for variables: every node made anew from those of its operands.
#include <array>
#include <unordered_map>

#include "lib/base/error.hpp"
#include "lib/expression/expression.hpp"
#include "lib/expression/graph.hpp"

namespace halocline {

namespace {

Expression made_anew(Operation operation, const std::array<Expression, 3>& x) {
  switch (arity(operation)) {
    case 1:
      return combine(operation, {x[0]});
    case 2:
      return combine(operation, {x[0], x[1]});
    default:
      return combine(operation, {x[0], x[1], x[2]});
  }
}

}  // namespace

Expression substitute(const Expression& expression, std::span<const Expression> values) {
  if (expression.is_constant()) return expression;
  const std::shared_ptr<ExpressionGraph> graph = expression.graph();
  require(values.size() == graph->variables().size(), "substitute: one value per variable of the scope");
  const int root = expression.node();
  std::unordered_map<int, Expression> made;
  for (const int index : graph->reachable(std::span(&root, 1))) {
    const ExpressionGraph::Node node = graph->node(index);  // a copy: the graph may grow below
    if (node.operation == Operation::variable) {
      made[index] = values[static_cast<std::size_t>(node.operands[0])];
    } else if (node.operation == Operation::constant) {
      made[index] = node.value;
    } else {
      std::array<Expression, 3> x;
      for (std::size_t i = 0; static_cast<int>(i) < arity(node.operation); ++i) x[i] = made.at(node.operands[i]);
      made[index] = node.operation == Operation::look ? look(graph->raster(node), x) : made_anew(node.operation, x);
    }
  }
  return made.at(root);
}

}  // namespace halocline
