#include "tests/unit/expression/expression_text.hpp"

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/format.hpp"
#include "lib/expression/functions.hpp"
#include "lib/expression/graph.hpp"

namespace halocline {

namespace {

// Levels of the grammar: what may stand somewhere without parentheses.
enum Level { sum = 1, product, sign, power_level, atom };

// A piece of the output still to come: text, or a node that must be at `level` at least.
struct Piece {
  std::string text;
  int node = -1;
  Level level = sum;
};

Piece text(std::string_view what) { return {std::string(what), -1, sum}; }
Piece node(int index, Level level) { return {"", index, level}; }

std::string_view function_name(Operation operation) {
  for (const Function& function : functions())
    if (function.operation == operation) return function.name;
  return "";
}

Level level_of(const ExpressionGraph::Node& node) {
  switch (node.operation) {
    case Operation::constant:
      return std::signbit(node.value) ? sign : atom;
    case Operation::add:
    case Operation::subtract:
      return sum;
    case Operation::multiply:
    case Operation::divide:
      return product;
    case Operation::negate:
      return sign;
    case Operation::power:
      return power_level;
    default:
      return atom;
  }
}

std::vector<Piece> pieces_of(const ExpressionGraph& graph, const ExpressionGraph::Node& current) {
  const auto [a, b, c] = current.operands;
  switch (current.operation) {
    case Operation::constant:
      return {text(shortest_text(current.value))};
    case Operation::variable:
      return {text(graph.variables()[static_cast<std::size_t>(a)])};
    case Operation::negate:
      return {text("-"), node(a, power_level)};
    case Operation::add:
      return {node(a, sum), text(" + "), node(b, product)};
    case Operation::subtract:
      return {node(a, sum), text(" - "), node(b, product)};
    case Operation::multiply:
      return {node(a, product), text("*"), node(b, sign)};
    case Operation::divide:
      return {node(a, product), text("/"), node(b, sign)};
    case Operation::power:
      return {node(a, atom), text("^"), node(b, sign)};
    case Operation::less:
      return {node(a, sum), text(" < "), node(b, sum)};
    case Operation::less_equal:
      return {node(a, sum), text(" <= "), node(b, sum)};
    case Operation::select:
      return {text("if("), node(a, sum), text(", "), node(b, sum), text(", "), node(c, sum), text(")")};
    default:
      break;
  }
  const std::string head = std::string(function_name(current.operation)) + "(";
  if (arity(current.operation) == 1) return {text(head), node(a, sum), text(")")};
  return {text(head), node(a, sum), text(", "), node(b, sum), text(")")};
}

}  // namespace

std::string to_string(const Expression& expression) {
  if (expression.is_constant()) return shortest_text(expression.value());
  constexpr std::size_t longest = 100000;  // as a tree, a graph may be exponentially large
  const ExpressionGraph& graph = *expression.graph();
  std::string output;
  std::vector<Piece> stack{node(expression.node(), sum)};  // the next piece is the last
  while (!stack.empty()) {
    if (output.size() > longest) return output.substr(0, longest) + "...";
    const Piece piece = std::move(stack.back());
    stack.pop_back();
    if (piece.node < 0) {
      output += piece.text;
      continue;
    }
    const ExpressionGraph::Node& current = graph.node(piece.node);
    std::vector<Piece> pieces = pieces_of(graph, current);
    const bool enclose = level_of(current) < piece.level;
    if (enclose) stack.push_back(text(")"));
    stack.insert(stack.end(), pieces.rbegin(), pieces.rend());
    if (enclose) stack.push_back(text("("));
  }
  return output;
}

}  // namespace halocline
