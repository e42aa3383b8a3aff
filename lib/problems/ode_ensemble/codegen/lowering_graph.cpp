#include "lib/problems/ode_ensemble/codegen/lowering_graph.hpp"

#include <algorithm>
#include <numbers>

namespace halocline::ode_ensemble {

namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

}  // namespace

LoweringGraph::LoweringGraph(const OdeSystem& system, std::shared_ptr<ExpressionGraph> graph)
    : system_(system), graph_(std::move(graph)) {}

Stage LoweringGraph::stage(int index) {
  // Operands come before their users, so what is not known yet is filled in ascending order.
  for (int i = static_cast<int>(stages_.size()); i < graph_->size(); ++i) {
    const ExpressionGraph::Node& one = node(i);
    Stage found = Stage::compile;
    if (one.operation == Operation::variable) {
      found = stage_of(system_, Expression(graph_, i));
    } else {
      for (int k = 0; k < arity(one.operation); ++k)
        found = std::max(found, static_cast<Stage>(stages_[at(one.operands[at(k)])]));
    }
    stages_.push_back(static_cast<signed char>(found));
  }
  return static_cast<Stage>(stages_[at(index)]);
}

bool LoweringGraph::in_turns(int index) const {
  const Operation operation = node(index).operation;
  if (operation != Operation::sin && operation != Operation::cos) return false;
  const ExpressionGraph::Node& argument = node(node(index).operands[0]);
  return argument.operation == Operation::multiply && graph_->is_constant(argument.operands[0], 2 * std::numbers::pi);
}

std::vector<int> LoweringGraph::inputs(int index) const {
  const ExpressionGraph::Node& one = node(index);
  if (in_turns(index)) return {node(one.operands[0]).operands[1]};
  return {one.operands.begin(), one.operands.begin() + arity(one.operation)};
}

std::vector<int> LoweringGraph::order(const std::vector<int>& roots) const {
  std::vector<bool> needed(at(graph_->size()), false);
  for (const int root : roots) needed[at(root)] = true;
  std::vector<int> found;
  for (int index = graph_->size() - 1; index >= 0; --index) {
    if (!needed[at(index)]) continue;
    found.push_back(index);
    for (const int input : inputs(index)) needed[at(input)] = true;
  }
  std::reverse(found.begin(), found.end());
  return found;
}

// Makes every node anew from its new operands; make(index, made) gives the new node, or -1 for "the same operation".
template <class Make>
void LoweringGraph::rewrite(std::vector<int>& roots, Make&& make) {
  std::unordered_map<int, int> made;
  for (const int index : graph_->reachable(roots)) {
    const int other = make(index, made);
    made[index] = other >= 0 ? other : make_same(index, made);
  }
  for (int& root : roots) root = made.at(root);
}

int LoweringGraph::make_same(int index, const std::unordered_map<int, int>& made) {
  const ExpressionGraph::Node one = node(index);  // a copy: the graph grows
  std::array<int, 3> operands{-1, -1, -1};
  for (int k = 0; k < arity(one.operation); ++k) operands[at(k)] = made.at(one.operands[at(k)]);
  if (arity(one.operation) == 0 || operands == one.operands) return index;
  return graph_->make(one.operation, operands[0], operands[1], operands[2]);
}

std::unordered_map<int, int> LoweringGraph::count_uses(const std::vector<int>& roots) const {
  std::unordered_map<int, int> uses;
  for (const int index : graph_->reachable(roots)) {
    const ExpressionGraph::Node& one = node(index);
    for (int k = 0; k < arity(one.operation); ++k) ++uses[one.operands[at(k)]];
  }
  for (const int root : roots) uses[root] += 2;  // never a part of something else
  return uses;
}

bool LoweringGraph::is_sum(int index) const {
  return node(index).operation == Operation::add || node(index).operation == Operation::subtract;
}

bool LoweringGraph::is_product(int index) const {
  const Operation operation = node(index).operation;
  return operation == Operation::multiply || operation == Operation::divide || operation == Operation::negate;
}

// A product of something known earlier and something else: as a part of another product it costs nothing to do it
// again.
bool LoweringGraph::is_scaled(int index) {
  const ExpressionGraph::Node one = node(index);
  if (one.operation != Operation::multiply) return false;
  return (stage(one.operands[0]) < stage(index)) != (stage(one.operands[1]) < stage(index));
}

// The factors of a product, through products that nothing else uses and scaled ones.
LoweringGraph::Factors LoweringGraph::factors(int top, const std::unordered_map<int, int>& uses) {
  Factors found;
  std::vector<std::pair<int, bool>> stack{{top, true}};
  while (!stack.empty()) {
    const auto [index, above] = stack.back();
    stack.pop_back();
    const ExpressionGraph::Node one = node(index);
    if (!is_product(index) || (index != top && uses.at(index) > 1 && !is_scaled(index))) {
      (above ? found.above : found.below).push_back(index);
    } else if (one.operation == Operation::negate) {
      found.negative = !found.negative;
      stack.emplace_back(one.operands[0], above);
    } else {
      stack.emplace_back(one.operands[1], one.operation == Operation::multiply ? above : !above);
      stack.emplace_back(one.operands[0], above);
    }
  }
  return found;
}

// start times the factors of one stage.
int LoweringGraph::fraction(int start, const Factors& factors, Stage wanted, const std::unordered_map<int, int>& made) {
  int above = -1, below = -1;
  for (const int factor : factors.above) {
    if (stage(factor) != wanted) continue;
    above = above < 0 ? made.at(factor) : graph_->make(Operation::multiply, above, made.at(factor));
  }
  for (const int factor : factors.below) {
    if (stage(factor) != wanted) continue;
    below = below < 0 ? made.at(factor) : graph_->make(Operation::multiply, below, made.at(factor));
  }
  int result = above < 0 ? start : graph_->make(Operation::multiply, start, above);
  if (below >= 0) result = graph_->make(Operation::divide, result, below);
  return result;
}

// The product with everything that is known before `top` in one factor; -1 where nothing is won.
int LoweringGraph::regrouped(int top, const Factors& found, const std::unordered_map<int, int>& made) {
  const Stage own = stage(top);
  int early = 0, early_divisors = 0;
  for (const int factor : found.above) early += stage(factor) < own ? 1 : 0;
  for (const int factor : found.below) {
    early += stage(factor) < own ? 1 : 0;
    early_divisors += stage(factor) < own && stage(factor) > Stage::compile ? 1 : 0;
  }
  if (early < 2 && early_divisors == 0) return -1;
  int result = graph_->constant(found.negative ? -1 : 1);
  for (Stage level = Stage::compile; level <= own; level = static_cast<Stage>(static_cast<int>(level) + 1))
    result = fraction(result, found, level, made);
  return result;
}

void LoweringGraph::regroup_products(std::vector<int>& roots) {
  const std::unordered_map<int, int> uses = count_uses(roots);
  rewrite(roots, [&](int index, const std::unordered_map<int, int>& made) {
    if (!is_product(index) || stage(index) < Stage::time) return -1;
    return regrouped(index, factors(index, uses), made);
  });
}

// a/d, b/d: one division 1/d, then products.
void LoweringGraph::share_reciprocals(std::vector<int>& roots) {
  std::unordered_map<int, int> divisions;
  for (const int index : graph_->reachable(roots)) {
    if (node(index).operation == Operation::divide && stage(node(index).operands[1]) > Stage::system)
      ++divisions[node(index).operands[1]];
  }
  rewrite(roots, [&](int index, const std::unordered_map<int, int>& made) {
    const ExpressionGraph::Node one = node(index);
    if (one.operation != Operation::divide) return -1;
    const auto found = divisions.find(one.operands[1]);
    if (found == divisions.end() || found->second < 2) return -1;
    const int reciprocal = graph_->make(Operation::divide, graph_->constant(1), made.at(one.operands[1]));
    return graph_->make(Operation::multiply, made.at(one.operands[0]), reciprocal);
  });
}

// The terms of a sum, through sums that nothing else uses; products that nothing else uses with both factors.
std::vector<LoweringGraph::Term> LoweringGraph::terms(int top, const std::unordered_map<int, int>& uses,
                                                      const std::unordered_map<int, int>& made) {
  std::vector<Term> found;
  std::vector<std::pair<int, bool>> stack{{top, false}};
  while (!stack.empty()) {
    const auto [index, negative] = stack.back();
    stack.pop_back();
    const ExpressionGraph::Node& one = node(index);
    const bool own = index == top || uses.at(index) == 1;
    if (own && is_sum(index)) {
      stack.emplace_back(one.operands[1], one.operation == Operation::subtract ? !negative : negative);
      stack.emplace_back(one.operands[0], negative);
    } else if (own && one.operation == Operation::multiply && !graph_->is_constant(one.operands[0])) {
      found.push_back({negative, made.at(one.operands[0]), made.at(one.operands[1])});
    } else {
      found.push_back({negative, made.at(index), -1});
    }
  }
  return found;
}

// a b + a c = a (b + c) for the factor that most terms have; false when no two terms share one.
bool LoweringGraph::factor_out(std::vector<Term>& list) {
  std::unordered_map<int, int> count;
  for (const Term& term : list) {
    if (term.cofactor < 0) continue;
    ++count[term.factor];
    if (term.cofactor != term.factor) ++count[term.cofactor];
  }
  int common = -1;
  for (const Term& term : list) {  // in the order of terms, so that the choice does not depend on the table's order
    for (const int one : {term.factor, term.cofactor})
      if (one >= 0 && count[one] > 1 && (common < 0 || count[one] > count[common])) common = one;
  }
  if (common < 0) return false;
  std::vector<Term> inner, rest;
  std::size_t place = 0;
  for (const Term& term : list) {
    const bool has = term.cofactor >= 0 && (term.factor == common || term.cofactor == common);
    if (has && inner.empty()) place = rest.size();
    if (has) {
      inner.push_back({term.negative, term.factor == common ? term.cofactor : term.factor, -1});
    } else {
      rest.push_back(term);
    }
  }
  const bool negative = inner[0].negative;
  for (Term& term : inner) term.negative = term.negative != negative;
  const int product = graph_->make(Operation::multiply, common, sum(inner));
  rest.insert(rest.begin() + static_cast<std::ptrdiff_t>(place), Term{negative, product, -1});
  list = std::move(rest);
  return true;
}

// From left to right, beginning with the first term that is not subtracted.
int LoweringGraph::sum(const std::vector<Term>& list) {
  const auto value = [this](const Term& term) {
    return term.cofactor < 0 ? term.factor : graph_->make(Operation::multiply, term.factor, term.cofactor);
  };
  std::size_t first = 0;
  while (first < list.size() && list[first].negative) ++first;
  const bool none = first == list.size();
  if (none) first = 0;
  int result = none ? graph_->make(Operation::negate, value(list[0])) : value(list[first]);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i != first)
      result = graph_->make(list[i].negative ? Operation::subtract : Operation::add, result, value(list[i]));
  }
  return result;
}

void LoweringGraph::factor_sums(std::vector<int>& roots) {
  const std::unordered_map<int, int> uses = count_uses(roots);
  rewrite(roots, [&](int index, const std::unordered_map<int, int>& made) {
    if (!is_sum(index) || stage(index) < Stage::time) return -1;
    std::vector<Term> list = terms(index, uses, made);
    if (!factor_out(list)) return -1;
    while (factor_out(list)) {
    }
    return sum(list);
  });
}

// x^c = exp(c log x) for x > 0.
void LoweringGraph::expand_powers(std::vector<int>& roots) {
  rewrite(roots, [&](int index, const std::unordered_map<int, int>& made) {
    const ExpressionGraph::Node one = node(index);
    if (one.operation != Operation::power || stage(one.operands[1]) > Stage::system) return -1;
    const int logarithm = graph_->make(Operation::log, made.at(one.operands[0]));
    return graph_->make(Operation::exp, graph_->make(Operation::multiply, made.at(one.operands[1]), logarithm));
  });
}

}  // namespace halocline::ode_ensemble
