#include "lib/expression/graph.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "lib/base/error.hpp"

namespace halocline {

namespace {

constexpr double third = 1.0 / 3.0;

// 1/c when it is exact, that is, when c is a power of two whose reciprocal is a normal number; else 0.
double exact_reciprocal(double c) {
  int exponent = 0;
  if (std::abs(std::frexp(c, &exponent)) != 0.5) return 0;
  const double reciprocal = 1 / c;
  return std::isnormal(c) && std::isnormal(reciprocal) ? reciprocal : 0;
}

}  // namespace

double fold(Operation operation, double a, double b, double c) {
  if (operation == Operation::power) {
    if (b == 0.5) return std::sqrt(a);
    if (b == -0.5) return 1 / std::sqrt(a);
    if (b == third) return std::cbrt(a);
    if (b == -third) return 1 / std::cbrt(a);
  }
  return apply(operation, a, b, c);
}

std::size_t ExpressionGraph::Hash::operator()(const Node& node) const {
  std::uint64_t hash = std::bit_cast<std::uint64_t>(node.value) + static_cast<std::uint64_t>(node.operation);
  for (int operand : node.operands) {
    // Mixing of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
    hash = (hash + static_cast<std::uint64_t>(operand)) * 0x9e3779b97f4a7c15ULL;
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9ULL;
    hash ^= hash >> 27;
  }
  return hash;
}

bool ExpressionGraph::Equal::operator()(const Node& a, const Node& b) const {
  return a.operation == b.operation && a.operands == b.operands &&
         std::bit_cast<std::uint64_t>(a.value) == std::bit_cast<std::uint64_t>(b.value);
}

int ExpressionGraph::intern(const Node& node) {
  const auto found = index_.find(node);
  if (found != index_.end()) return found->second;
  if (size() >= max_nodes) {
    throw DeckError("the formulas of the deck grow beyond " + std::to_string(max_nodes) + " operations");
  }
  const int index = size();
  nodes_.push_back(node);
  index_.emplace(node, index);
  return index;
}

int ExpressionGraph::intern(Operation operation, int a, int b, int c) { return intern(Node{operation, {a, b, c}, 0}); }

int ExpressionGraph::constant(double value) { return intern(Node{Operation::constant, {-1, -1, -1}, value}); }

int ExpressionGraph::variable(int position) { return intern(Operation::variable, position); }

int ExpressionGraph::make(Operation operation, int a, int b, int c) {
  const int operands = arity(operation);
  const bool all_constant = is_constant(a) && (operands < 2 || is_constant(b)) && (operands < 3 || is_constant(c));
  if (all_constant) {
    const double y = operands < 2 ? 0 : node(b).value;
    return constant(fold(operation, node(a).value, y, operands < 3 ? 0 : node(c).value));
  }
  switch (operation) {
    case Operation::negate:
      return is_negation(a) ? operand(a) : intern(operation, a);
    case Operation::add:
      return make_add(a, b);
    case Operation::subtract:
      return make_subtract(a, b);
    case Operation::multiply:
      return make_multiply(a, b);
    case Operation::divide:
      return make_divide(a, b);
    case Operation::power:
      return make_power(a, b);
    case Operation::min:
    case Operation::max:
      return a == b ? a : intern(operation, a, b);
    case Operation::select:
      return make_select(a, b, c);
    default:
      return intern(operation, a, b, c);
  }
}

int ExpressionGraph::look(const std::shared_ptr<const Raster>& raster, const std::array<int, 3>& place) {
  if (is_constant(place[0]) && is_constant(place[1]) && is_constant(place[2]))
    return constant(raster->view.look(node(place[0]).value, node(place[1]).value, node(place[2]).value));
  const auto found = std::find(rasters_.begin(), rasters_.end(), raster);
  const auto number = static_cast<double>(found - rasters_.begin());
  if (found == rasters_.end()) rasters_.push_back(raster);
  return intern(Node{Operation::look, place, number});
}

// Commutative operations are stored with a constant factor, else the lower node, first: a + b and b + a are one node.
int ExpressionGraph::make_add(int a, int b) {
  if (is_constant(a, 0)) return b;
  if (is_constant(b, 0)) return a;
  if (is_negation(b)) return make_subtract(a, operand(b));
  if (is_negation(a)) return make_subtract(b, operand(a));
  return intern(Operation::add, std::min(a, b), std::max(a, b));
}

int ExpressionGraph::make_subtract(int a, int b) {
  if (a == b) return constant(0);
  if (is_constant(b, 0)) return a;
  if (is_constant(a, 0)) return negate(b);
  if (is_negation(b)) return make(Operation::add, a, operand(b));
  return intern(Operation::subtract, a, b);
}

int ExpressionGraph::make_multiply(int a, int b) {
  if (is_constant(b)) std::swap(a, b);
  if (is_constant(a)) {
    const double factor = node(a).value;
    if (factor == 0) return constant(0);
    if (factor == 1) return b;
    if (factor == -1) return negate(b);
    if (is_negation(b)) return make_multiply(constant(-factor), operand(b));
    return intern(Operation::multiply, a, b);
  }
  if (is_negation(a) && is_negation(b)) return make_multiply(operand(a), operand(b));
  if (is_negation(a)) return negate(make_multiply(operand(a), b));
  if (is_negation(b)) return negate(make_multiply(a, operand(b)));
  return intern(Operation::multiply, std::min(a, b), std::max(a, b));
}

int ExpressionGraph::make_divide(int a, int b) {
  if (is_constant(a, 0)) return a;
  if (is_constant(b)) {
    const double divisor = node(b).value;
    if (divisor == 1) return a;
    if (divisor == -1) return negate(a);
    const double reciprocal = exact_reciprocal(divisor);
    if (reciprocal != 0) return make_multiply(a, constant(reciprocal));
  }
  if (is_negation(a)) return negate(make_divide(operand(a), b));
  if (is_negation(b)) return negate(make_divide(a, operand(b)));
  return intern(Operation::divide, a, b);
}

int ExpressionGraph::make_power(int base, int exponent) {
  if (!is_constant(exponent)) return is_constant(base, 1) ? base : intern(Operation::power, base, exponent);
  const double n = node(exponent).value;
  if (n == 0) return constant(1);
  if (std::abs(n) == 0.5 || std::abs(n) == third) {
    const int root = intern(std::abs(n) == 0.5 ? Operation::sqrt : Operation::cbrt, base);
    return n > 0 ? root : make_divide(constant(1), root);
  }
  if (std::abs(n) > 16 || n != std::trunc(n)) return intern(Operation::power, base, exponent);
  const int product = make_product(base, static_cast<int>(std::abs(n)));
  return n > 0 ? product : make_divide(constant(1), product);
}

// base^count by squaring.
int ExpressionGraph::make_product(int base, int count) {
  int product = -1;
  for (int square = base;; square = make_multiply(square, square)) {
    if (count & 1) product = product < 0 ? square : make_multiply(product, square);
    count >>= 1;
    if (count == 0) return product;
  }
}

int ExpressionGraph::make_select(int condition, int a, int b) {
  if (a == b) return a;
  if (is_constant(condition)) return node(condition).value != 0 ? a : b;
  return intern(Operation::select, condition, a, b);
}

std::vector<int> ExpressionGraph::reachable(std::span<const int> roots) const {
  int top = -1;
  for (int root : roots) top = std::max(top, root);
  std::vector<bool> needed(static_cast<std::size_t>(top + 1), false);
  for (int root : roots) needed[static_cast<std::size_t>(root)] = true;
  std::vector<int> found;
  for (int index = top; index >= 0; --index) {
    if (!needed[static_cast<std::size_t>(index)]) continue;
    found.push_back(index);
    const Node& current = node(index);
    for (int i = 0; i < arity(current.operation); ++i) {
      needed[static_cast<std::size_t>(current.operands[static_cast<std::size_t>(i)])] = true;
    }
  }
  std::reverse(found.begin(), found.end());
  return found;
}

}  // namespace halocline
