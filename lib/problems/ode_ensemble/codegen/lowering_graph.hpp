// The passes of lowering on the graph: nodes with their stages, and rewriting from the leaves up. For lowering.cpp.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "lib/expression/graph.hpp"
#include "lib/problems/ode_ensemble/codegen/lowering.hpp"

namespace halocline::ode_ensemble {

class LoweringGraph {
 public:
  LoweringGraph(const OdeSystem& system, std::shared_ptr<ExpressionGraph> graph);

  const ExpressionGraph::Node& node(int index) const { return graph_->node(index); }
  const std::shared_ptr<ExpressionGraph>& graph() const { return graph_; }
  Stage stage(int index);
  int root(const Expression& e) { return e.is_constant() ? graph_->constant(e.value()) : e.node(); }
  // What a node is computed from: its operands; for sin and cos of 2 pi x that x.
  std::vector<int> inputs(int index) const;
  // Whether a node is sin or cos of 2 pi x.
  bool in_turns(int index) const;
  // The nodes that computing `roots` takes, operands first.
  std::vector<int> order(const std::vector<int>& roots) const;

  // Passes; each replaces roots by equal ones.
  void regroup_products(std::vector<int>& roots);
  void share_reciprocals(std::vector<int>& roots);
  void factor_sums(std::vector<int>& roots);
  void expand_powers(std::vector<int>& roots);

 private:
  struct Factors {
    std::vector<int> above, below;  // of the fraction line
    bool negative = false;
  };
  // A term of a sum: sign times factor times cofactor, or sign times factor where there is no cofactor.
  struct Term {
    bool negative = false;
    int factor = -1, cofactor = -1;
  };
  std::unordered_map<int, int> count_uses(const std::vector<int>& roots) const;
  std::vector<Term> terms(int top, const std::unordered_map<int, int>& uses, const std::unordered_map<int, int>& made);
  bool factor_out(std::vector<Term>& terms);
  int sum(const std::vector<Term>& terms);
  bool is_sum(int index) const;
  bool is_product(int index) const;
  int make_same(int index, const std::unordered_map<int, int>& made);
  Factors factors(int top, const std::unordered_map<int, int>& uses);
  bool is_scaled(int index);
  int regrouped(int top, const Factors& factors, const std::unordered_map<int, int>& made);
  int fraction(int start, const Factors& factors, Stage stage, const std::unordered_map<int, int>& made);
  template <class Make>
  void rewrite(std::vector<int>& roots, Make&& make);

  const OdeSystem& system_;
  std::shared_ptr<ExpressionGraph> graph_;
  std::vector<signed char> stages_;  // by node; -1 unknown
};

}  // namespace halocline::ode_ensemble
