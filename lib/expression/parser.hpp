// Parser: from text to nodes of a graph, by recursive descent with limited depth. For use inside lib/expression.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/expression/formula_fault.hpp"
#include "lib/expression/graph.hpp"

namespace halocline {

// What a name stands for. Faulty definitions stand for the constant NaN, which causes no further faults.
struct Symbol {
  int node = -1;
  bool used = false;
};
using Symbols = std::map<std::string, Symbol, std::less<>>;

struct ParseInput {
  ExpressionGraph& graph;
  Symbols& symbols;  // names that are met become `used`
  const Formula& formula;
  std::size_t begin = 0;                       // first character that belongs to the expression
  const std::vector<bool>* allowed = nullptr;  // by position of variable; null: all
};

// The node of the formula; -1 when faults were added.
int parse(const ParseInput& input, std::vector<FormulaFault>& faults);

}  // namespace halocline
