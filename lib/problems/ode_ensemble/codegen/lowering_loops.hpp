// LoopLowering: right-hand sides with loops as LoopedCode. For lowering.cpp.
//
// What a loop's body has in common with all iterations stays outside; values that depend on the iteration and on swept
// names alone are kept per system, one for each iteration.
#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "lib/problems/ode_ensemble/codegen/lowering_graph.hpp"

namespace halocline::ode_ensemble {

class LoopLowering {
 public:
  // Gives the operand of a node that is known before: a number, time, a kept or timed value, a variable of the scope.
  using Early = std::function<Operand(int node)>;

  LoopLowering(const OdeSystem& system, LoweringGraph& graph);

  // Nodes of all bodies and right-hand sides, for passes that replace them by equal ones.
  std::vector<int>& roots() { return roots_; }
  // Nodes with no index among the roots' that must be known before loops run.
  std::vector<int> early();
  // The code; `kept`: number of the first kept value that is free. Raises it by those of iterations.
  void generate(const Early& early, int& kept, LoopedCode& setup, LoopedCode& rhs);

 private:
  // Which indices a value depends on.
  struct Use {
    bool outer = false, inner = false;
    bool any() const { return outer || inner; }
  };
  // What has been put into a function so far: at the top, in the family's loop, in the sum's.
  struct Place {
    std::vector<LoopedCode::Item> items;
    std::unordered_map<int, Operand> operands;
    int count = 1;
  };
  enum { top, family, sum, places };

  Use use(int node);
  int loop_variable(int node) const;
  bool is_early(int node);
  bool is_table(int node);
  int place_of(int node);
  std::vector<int> order(int root, bool tables);
  Operand operand(int node, bool tables);
  void put(int root, bool tables);
  void put_line(int node, bool tables);
  void put_sum(int variable);
  Operand table(int node, int place);
  int root_of_sum(int number) const;

  const OdeSystem& system_;
  LoweringGraph& graph_;
  std::vector<int> roots_;                   // right-hand sides, families, sums, values beyond elements
  std::vector<Use> uses_;                    // by node
  std::vector<std::pair<int, int>> beyond_;  // element, place in its list
  Place place_[places];
  LoopedCode* code_ = nullptr;
  const Early* early_ = nullptr;
  struct Table {
    int node, count, first;
    bool inner;
  };
  std::vector<Table> tables_;
  int kept_ = 0;
};

}  // namespace halocline::ode_ensemble
