#include "lib/problems/ode_ensemble/codegen/lowering_loops.hpp"

#include <algorithm>
#include <array>

#include "lib/base/error.hpp"

namespace halocline::ode_ensemble {

namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

}  // namespace

LoopLowering::LoopLowering(const OdeSystem& system, LoweringGraph& graph) : system_(system), graph_(graph) {
  const Loops& loops = system.loops;
  for (const Expression& e : system.rhs) roots_.push_back(graph.root(e));
  for (const Loops::Family& one : loops.families) roots_.push_back(graph.root(one.body));
  for (const Loops::Sum& one : loops.sums) roots_.push_back(graph.root(one.body));
  for (std::size_t e = 0; e < loops.elements.size(); ++e)
    for (std::size_t b = 0; b < loops.elements[e].beyond.size(); ++b) {
      beyond_.emplace_back(static_cast<int>(e), static_cast<int>(b));
      roots_.push_back(graph.root(loops.elements[e].beyond[b].second));
    }
}

// The number of a variable of loops, -1 for other nodes.
int LoopLowering::loop_variable(int node) const {
  const ExpressionGraph::Node& one = graph_.node(node);
  if (one.operation != Operation::variable) return -1;
  return std::max(-1, one.operands[0] - system_.loop_variable(0));
}

int LoopLowering::root_of_sum(int number) const {
  return roots_[system_.rhs.size() + system_.loops.families.size() + at(number)];
}

LoopLowering::Use LoopLowering::use(int node) {
  const auto either = [](Use a, Use b) { return Use{a.outer || b.outer, a.inner || b.inner}; };
  // Operands come before their users, so what is not known yet is filled in ascending order.
  for (int i = static_cast<int>(uses_.size()); i <= node; ++i) {
    Use found;
    const ExpressionGraph::Node one = graph_.node(i);
    for (int k = 0; k < arity(one.operation); ++k) found = either(found, uses_[at(one.operands[at(k)])]);
    if (const int variable = loop_variable(i); variable >= 0) {
      const Loops::Variable v = system_.loops.variables[at(variable)];
      const Loops& loops = system_.loops;
      if (v.kind == Loops::Kind::counter) {
        const bool inner = loops.counters[at(v.index)].inner;
        found = {!inner, inner};
      } else if (v.kind == Loops::Kind::element) {
        const LoopNumber& number = loops.elements[at(v.index)].number;
        found = {number.by_outer != 0, number.by_inner != 0};
      } else {  // bodies of sums are made before their variables, but passes may have replaced them
        const Expression& body = loops.sums[at(v.index)].body;
        found = {!body.is_constant() && uses_[at(body.node())].outer, false};
      }
    }
    uses_.push_back(found);
  }
  return uses_[at(node)];
}

// Numbers, and what does not depend on indices and states.
bool LoopLowering::is_early(int node) { return !use(node).any() && graph_.stage(node) < Stage::step; }

// Of one index and swept names alone, and dearer than the index itself.
bool LoopLowering::is_table(int node) {
  return use(node).outer != use(node).inner && graph_.stage(node) <= Stage::system &&
         arity(graph_.node(node).operation) > 0;
}

int LoopLowering::place_of(int node) { return use(node).inner ? sum : use(node).outer ? family : top; }

// The nodes that a root takes, operands first, but for what is known before it; `tables`: while these are made.
std::vector<int> LoopLowering::order(int root, bool tables) {
  std::vector<bool> needed(at(root) + 1, false);
  needed[at(root)] = true;
  std::vector<int> found;
  for (int index = root; index >= 0; --index) {
    if (!needed[at(index)]) continue;
    found.push_back(index);
    if (is_early(index) || (!tables && is_table(index))) continue;
    for (const int input : graph_.inputs(index)) needed[at(input)] = true;
  }
  std::reverse(found.begin(), found.end());
  return found;
}

std::vector<int> LoopLowering::early() {
  std::vector<int> found;
  for (const int root : roots_)
    for (const int index : order(root, true))
      if (is_early(index)) found.push_back(index);
  return found;
}

Operand LoopLowering::table(int node, int place) {
  const bool inner = place == sum;
  const int count = place_[place].count;
  for (const Table& one : tables_)
    if (one.node == node && one.count == count && one.inner == inner) return {From::table, one.first, 0, inner};
  tables_.push_back({node, count, kept_, inner});
  kept_ += count;
  return {From::table, tables_.back().first, 0, inner};
}

// Where a node that has been put lies.
Operand LoopLowering::operand(int node, bool tables) {
  if (is_early(node)) return (*early_)(node);
  const int place = place_of(node);
  if (!tables && is_table(node)) return table(node, place);
  const auto found = place_[place].operands.find(node);
  require(found != place_[place].operands.end(), "lower: a value of a loop is missing");
  return found->second;
}

void LoopLowering::put(int root, bool tables) {
  for (const int node : order(root, tables)) {
    if (is_early(node) || (!tables && is_table(node))) continue;
    if (!place_[place_of(node)].operands.contains(node)) put_line(node, tables);
  }
}

void LoopLowering::put_line(int node, bool tables) {
  Place& place = place_[place_of(node)];
  if (const int variable = loop_variable(node); variable >= 0) {
    const Loops::Variable v = system_.loops.variables[at(variable)];
    if (v.kind == Loops::Kind::sum) return put_sum(variable);
    const bool counts = v.kind == Loops::Kind::counter;
    const double first = counts ? system_.loops.counters[at(v.index)].first : 0;
    place.operands[node] = {counts ? From::counter : From::element, v.index, first, place_of(node) == sum};
    return;
  }
  if (graph_.node(node).operation == Operation::variable) {
    place.operands[node] = (*early_)(node);
    return;
  }
  CodeLine line{graph_.node(node).operation, graph_.in_turns(node), {}, {}, {}};
  const std::vector<int> inputs = graph_.inputs(node);
  Operand* const operands[] = {&line.a, &line.b, &line.c};
  for (std::size_t k = 0; k < inputs.size(); ++k) *operands[k] = operand(inputs[k], tables);
  const int number = static_cast<int>(code_->lines.size());
  code_->lines.push_back(line);
  place.items.push_back({false, number});
  place.operands[node] = {From::value, number};
}

// A sum goes where its value belongs; one inside another is a loop of its own at the top.
void LoopLowering::put_sum(int variable) {
  const int number = system_.loops.variables[at(variable)].index, root = root_of_sum(number);
  const int node = graph_.root(Expression(graph_.graph(), graph_.graph()->variable(system_.loop_variable(variable))));
  const int where = place_of(node);
  Place outside = std::move(place_[sum]);
  place_[sum] = {};
  place_[sum].count = system_.loops.sums[at(number)].count;
  put(root, false);
  LoopedCode::Loop made{true, place_[sum].count, 0, {}, operand(root, false)};
  made.items = std::move(place_[sum].items);
  place_[sum] = std::move(outside);
  const int index = static_cast<int>(code_->loops.size());
  code_->loops.push_back(std::move(made));
  place_[where].items.push_back({true, index});
  place_[where].operands[node] = {From::sum, index};
}

void LoopLowering::generate(const Early& early, int& kept, LoopedCode& setup, LoopedCode& rhs) {
  const Loops& loops = system_.loops;
  early_ = &early;
  kept_ = kept;
  code_ = &rhs;
  for (const Loops::Element& one : loops.elements)
    rhs.elements.push_back({one.first, one.count, one.wraps, one.number});
  const std::size_t beyond_at = roots_.size() - beyond_.size();
  for (std::size_t b = 0; b < beyond_.size(); ++b) {
    put(roots_[beyond_at + b], false);
    const auto& [element, place] = beyond_[b];
    rhs.elements[at(element)].beyond.emplace_back(loops.elements[at(element)].beyond[at(place)].first,
                                                  operand(roots_[beyond_at + b], false));
  }
  std::vector<bool> in_family(system_.rhs.size(), false);
  std::size_t root = system_.rhs.size();
  for (const Loops::Family& one : loops.families) {
    for (int n = 0; n < one.count; ++n) in_family[at(one.first + n)] = true;
    place_[family] = {};
    place_[family].count = one.count;
    put(roots_[root], false);
    LoopedCode::Loop made{false, one.count, one.first, {}, operand(roots_[root], false)};
    made.items = std::move(place_[family].items);
    ++root;
    place_[top].items.push_back({true, static_cast<int>(rhs.loops.size())});
    rhs.loops.push_back(std::move(made));
  }
  for (std::size_t i = 0; i < system_.rhs.size(); ++i) {
    if (in_family[i]) continue;
    put(roots_[i], false);
    rhs.rows.emplace_back(static_cast<int>(i), operand(roots_[i], false));
  }
  rhs.items = std::move(place_[top].items);
  // Values kept for iterations, each in a loop of its own.
  code_ = &setup;
  for (const Table& one : tables_) {
    for (Place& place : place_) place = {};
    put(one.node, true);
    Place& place = place_[one.inner ? sum : family];
    LoopedCode::Loop made{false, one.count, one.first, {}, operand(one.node, true)};
    made.items = std::move(place.items);
    setup.items.push_back({true, static_cast<int>(setup.loops.size())});
    setup.loops.push_back(std::move(made));
  }
  kept = kept_;
}

}  // namespace halocline::ode_ensemble
