#include "lib/expression/program.hpp"

#include <algorithm>
#include <memory>
#include <unordered_map>

#include "lib/base/error.hpp"
#include "lib/expression/graph.hpp"

namespace halocline {

namespace {

// The operations below the roots in an order of evaluation that keeps few values alive: depth first, the operand that
// needs more registers first (Sethi, Ullman, J. ACM 17, 1970, applied to a graph).
class Schedule {
 public:
  Schedule(const ExpressionGraph& graph, std::span<const int> roots) : graph_(graph) {
    for (int index : graph.reachable(roots)) need_[index] = need_of(index);
    for (int root : roots) visit(root);
  }
  const std::vector<int>& order() const { return order_; }

 private:
  // Operands as found in the node, the one with the greatest need last (on a stack it comes first).
  std::vector<int> operands(int index) const {
    const ExpressionGraph::Node& node = graph_.node(index);
    std::vector<int> list(node.operands.begin(), node.operands.begin() + arity(node.operation));
    std::stable_sort(list.begin(), list.end(), [this](int a, int b) { return need_.at(a) < need_.at(b); });
    return list;
  }
  int need_of(int index) const {
    int need = 0, others = 0;
    const std::vector<int> list = operands(index);
    for (auto operand = list.rbegin(); operand != list.rend(); ++operand) {
      need = std::max(need, need_.at(*operand) + others);
      if (need_.at(*operand) > 0) ++others;
    }
    return list.empty() ? 0 : std::max(need, 1);
  }
  void visit(int root) {
    std::vector<std::pair<int, bool>> stack{{root, false}};
    while (!stack.empty()) {
      const auto [index, ready] = stack.back();
      stack.pop_back();
      if (arity(graph_.node(index).operation) == 0 || done_.contains(index)) continue;
      if (ready) {
        done_.emplace(index, true);
        order_.push_back(index);
        continue;
      }
      stack.emplace_back(index, true);
      for (int operand : operands(index)) stack.emplace_back(operand, false);
    }
  }

  const ExpressionGraph& graph_;
  std::unordered_map<int, int> need_;
  std::unordered_map<int, bool> done_;
  std::vector<int> order_;
};

// Hands out registers, the lowest free one first.
class Registers {
 public:
  std::uint32_t take() {
    if (free_.empty()) return count_++;
    const auto lowest = std::min_element(free_.begin(), free_.end());
    const std::uint32_t found = *lowest;
    free_.erase(lowest);
    return found;
  }
  void give_back(std::uint32_t one) { free_.push_back(one); }
  std::uint32_t count() const { return count_; }

 private:
  std::vector<std::uint32_t> free_;
  std::uint32_t count_ = 0;
};

// Where the values of nodes are while the program runs.
class Places {
 public:
  Places(const ExpressionGraph& graph, const std::vector<int>& order, std::span<const int> roots) : graph_(graph) {
    for (int index : order) {
      const ExpressionGraph::Node& node = graph.node(index);
      for (int i = 0; i < arity(node.operation); ++i) ++uses_[node.operands[static_cast<std::size_t>(i)]];
    }
    for (int root : roots) ++uses_[root];  // never given back
  }
  void count_constant(int index, std::vector<double>& constants) {
    if (!graph_.is_constant(index) || constant_.contains(index)) return;
    constant_[index] = static_cast<std::uint32_t>(constants.size());
    constants.push_back(graph_.node(index).value);
  }
  // As an operand of an instruction: variables first, then constants, then registers.
  std::uint32_t operand(int index) const {
    const ExpressionGraph::Node& node = graph_.node(index);
    if (node.operation == Operation::variable) return static_cast<std::uint32_t>(node.operands[0]);
    const auto first = static_cast<std::uint32_t>(graph_.variables().size());
    if (node.operation == Operation::constant) return first + constant_.at(index);
    return first + static_cast<std::uint32_t>(constant_.size()) + register_.at(index);
  }
  void release(int index) {
    if (--uses_[index] == 0 && arity(graph_.node(index).operation) > 0) registers_.give_back(register_.at(index));
  }
  std::uint32_t assign(int index) { return register_[index] = registers_.take(); }
  std::uint32_t register_count() const { return registers_.count(); }

 private:
  const ExpressionGraph& graph_;
  std::unordered_map<int, int> uses_;
  std::unordered_map<int, std::uint32_t> constant_, register_;
  Registers registers_;
};

// A graph for the case that all expressions are numbers, and the nodes of all expressions in the common graph.
std::shared_ptr<ExpressionGraph> common_graph(std::span<const Expression> expressions, int variables) {
  std::shared_ptr<ExpressionGraph> graph;
  for (const Expression& expression : expressions) {
    if (expression.is_constant()) continue;
    require(!graph || graph == expression.graph(), "Program: expressions come from different scopes");
    graph = expression.graph();
  }
  if (!graph) graph = std::make_shared<ExpressionGraph>(std::vector<std::string>(static_cast<std::size_t>(variables)));
  require(static_cast<int>(graph->variables().size()) == variables, "Program: not the scope's number of variables");
  return graph;
}

}  // namespace

Program::Program(std::span<const Expression> expressions, int variables)
    : used_(static_cast<std::size_t>(variables), false), variables_(variables) {
  const std::shared_ptr<ExpressionGraph> graph = common_graph(expressions, variables);
  std::vector<int> roots;
  for (const Expression& e : expressions) roots.push_back(e.is_constant() ? graph->constant(e.value()) : e.node());

  const std::vector<int> order = Schedule(*graph, roots).order();
  Places places(*graph, order, roots);
  for (int index : graph->reachable(roots)) {
    places.count_constant(index, constants_);
    const ExpressionGraph::Node& node = graph->node(index);
    if (node.operation == Operation::variable) used_[static_cast<std::size_t>(node.operands[0])] = true;
  }
  for (int index : order) {
    const ExpressionGraph::Node& node = graph->node(index);
    std::array<std::uint32_t, 3> operands{};
    for (std::size_t i = 0; static_cast<int>(i) < arity(node.operation); ++i) {
      operands[i] = places.operand(node.operands[i]);
    }
    // Operands are released first: the result may overwrite one of them, element by element.
    for (int i = 0; i < arity(node.operation); ++i) places.release(node.operands[static_cast<std::size_t>(i)]);
    instructions_.push_back({node.operation, places.assign(index), operands[0], operands[1], operands[2]});
    if (node.operation == Operation::look) {
      const auto found = std::find(rasters_.begin(), rasters_.end(), graph->raster(node));
      instructions_.back().raster = static_cast<std::uint32_t>(found - rasters_.begin());
      if (found == rasters_.end()) rasters_.push_back(graph->raster(node));
    }
  }
  for (int root : roots) results_.push_back(places.operand(root));
  registers_ = std::max<int>(1, static_cast<int>(places.register_count()));
  for (const auto& raster : rasters_) raster_views_.push_back(raster->view);
}

Program::Program(int variables, int registers, std::vector<Instruction> instructions, std::vector<double> constants,
                 std::vector<std::uint32_t> results, std::vector<std::shared_ptr<const Raster>> rasters)
    : instructions_(std::move(instructions)),
      constants_(std::move(constants)),
      results_(std::move(results)),
      used_(static_cast<std::size_t>(variables), false),
      rasters_(std::move(rasters)),
      variables_(variables),
      registers_(std::max(1, registers)) {
  for (const auto& raster : rasters_) raster_views_.push_back(raster->view);
  const auto use = [this](std::uint32_t operand) {
    if (operand < used_.size()) used_[operand] = true;
  };
  for (const Instruction& step : instructions_) {
    const std::uint32_t operands[3] = {step.a, step.b, step.c};
    for (int k = 0; k < arity(step.operation); ++k) use(operands[k]);
  }
  for (const std::uint32_t result : results_) use(result);
}

ProgramView Program::view() const {
  return {instructions_.data(),
          constants_.data(),
          results_.data(),
          static_cast<std::uint32_t>(instructions_.size()),
          static_cast<std::uint32_t>(constants_.size()),
          static_cast<std::uint32_t>(results_.size()),
          static_cast<std::uint32_t>(variables_),
          static_cast<std::uint32_t>(registers_),
          raster_views_.data()};
}

void evaluate(const Program& program, std::span<const std::span<const double>> variables,
              std::span<const std::span<double>> results) {
  require(static_cast<int>(variables.size()) == program.variable_count(), "evaluate: one span per variable");
  require(static_cast<int>(results.size()) == program.result_count(), "evaluate: one span per result");
  if (results.empty()) return;
  const std::size_t points = results[0].size();
  std::vector<ProgramInput> inputs;
  for (std::size_t v = 0; v < variables.size(); ++v) {
    const bool single = variables[v].size() == 1;
    require(single || variables[v].size() == points || !program.uses(static_cast<int>(v)),
            "evaluate: a variable has neither one value nor one per point");
    inputs.push_back({variables[v].data(), single});
  }
  std::vector<double*> outputs;
  for (const std::span<double>& result : results) {
    require(result.size() == points, "evaluate: results differ in length");
    outputs.push_back(result.data());
  }
  const auto width = static_cast<int>(std::min<std::size_t>(EvaluateProgram::block, std::max<std::size_t>(points, 1)));
  std::vector<double> scratch(static_cast<std::size_t>(program.register_count()) * static_cast<std::size_t>(width));
  const EvaluateProgram body{
      program.view(), inputs.data(), outputs.data(), scratch.data(), static_cast<Index>(points), 1, width};
  body(0);
}

}  // namespace halocline
