// ExpressionGraph: the hash-consed nodes behind Expression. For use inside lib/expression.
//
// Operands are always made before the nodes that use them, so ascending node numbers are an order of evaluation and
// every walk is a loop, never a recursion.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "lib/expression/program_kernels.hpp"
#include "lib/expression/raster.hpp"

namespace halocline {

class ExpressionGraph {
 public:
  static constexpr int max_nodes = 1000000;

  struct Node {
    Operation operation = Operation::constant;
    std::array<int, 3> operands{-1, -1, -1};  // a variable keeps its position in operands[0]
    double value = 0;                         // of a constant; number of the raster of Operation::look
  };

  explicit ExpressionGraph(std::vector<std::string> variables) : variables_(std::move(variables)) {}

  // The node of a number (equal bits, equal node), and of variable `position`.
  int constant(double value);
  int variable(int position);
  // The node of an operation after simplification; see simplify rules in graph.cpp.
  // Throws DeckError when the graph would exceed max_nodes.
  int make(Operation operation, int a, int b = -1, int c = -1);
  // The node of what a raster has at a place.
  int look(const std::shared_ptr<const Raster>& raster, const std::array<int, 3>& place);
  const std::shared_ptr<const Raster>& raster(const Node& node) const {
    return rasters_[static_cast<std::size_t>(node.value)];
  }

  const Node& node(int index) const { return nodes_[static_cast<std::size_t>(index)]; }
  int size() const { return static_cast<int>(nodes_.size()); }
  const std::vector<std::string>& variables() const { return variables_; }
  bool is_constant(int index) const { return node(index).operation == Operation::constant; }
  bool is_constant(int index, double value) const { return is_constant(index) && node(index).value == value; }

  // The nodes needed for `roots`, ascending.
  std::vector<int> reachable(std::span<const int> roots) const;

 private:
  struct Hash {
    std::size_t operator()(const Node& node) const;
  };
  struct Equal {
    bool operator()(const Node& a, const Node& b) const;
  };
  int intern(Operation operation, int a, int b = -1, int c = -1);
  int intern(const Node& node);
  int make_add(int a, int b);
  int make_subtract(int a, int b);
  int make_multiply(int a, int b);
  int make_divide(int a, int b);
  int make_power(int base, int exponent);
  int make_product(int base, int count);
  int make_select(int condition, int a, int b);
  int negate(int a) { return make(Operation::negate, a); }
  bool is_negation(int index) const { return node(index).operation == Operation::negate; }
  int operand(int index) const { return node(index).operands[0]; }

  std::vector<std::string> variables_;
  std::vector<Node> nodes_;
  std::vector<std::shared_ptr<const Raster>> rasters_;
  std::unordered_map<Node, int, Hash, Equal> index_;
};

// The value of an operation on numbers, with the same rewriting of powers as for nodes.
double fold(Operation operation, double a, double b, double c);

}  // namespace halocline
