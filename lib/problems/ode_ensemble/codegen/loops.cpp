#include "lib/problems/ode_ensemble/codegen/loops.hpp"

#include <array>
#include <unordered_map>

#include "lib/base/error.hpp"
#include "lib/expression/graph.hpp"
#include "lib/problems/ode_ensemble/codegen/system.hpp"

namespace halocline::ode_ensemble {

namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

// The body of a loop at one iteration.
class WrittenOut {
 public:
  WrittenOut(const OdeSystem& system, int outer, int inner) : system_(system), outer_(outer), inner_(inner) {}

  Expression operator()(const Expression& e) const {
    if (e.is_constant()) return e;
    const std::shared_ptr<ExpressionGraph> graph = e.graph();
    const int root = e.node();
    std::unordered_map<int, int> made;
    for (const int index : graph->reachable(std::span(&root, 1))) {
      const ExpressionGraph::Node node = graph->node(index);  // a copy: the graph grows below
      int& result = made[index] = index;
      if (node.operation == Operation::variable) {
        const int loop = node.operands[0] - system_.loop_variable(0);
        if (loop >= 0) result = node_of(*graph, variable(loop, graph));
      } else if (node.operation != Operation::constant) {
        std::array<int, 3> x{-1, -1, -1};
        for (std::size_t k = 0; static_cast<int>(k) < arity(node.operation); ++k) x[k] = made.at(node.operands[k]);
        if (x != node.operands) made[index] = graph->make(node.operation, x[0], x[1], x[2]);
      }
    }
    const int result = made.at(root);
    if (graph->is_constant(result)) return graph->node(result).value;
    return {graph, result};
  }

 private:
  static int node_of(ExpressionGraph& graph, const Expression& e) {
    return e.is_constant() ? graph.constant(e.value()) : e.node();
  }
  Expression variable(int number, const std::shared_ptr<ExpressionGraph>& graph) const {
    const Loops& loops = system_.loops;
    const Loops::Variable one = loops.variables[at(number)];
    if (one.kind == Loops::Kind::element) return element(loops.elements[at(one.index)], graph);
    if (one.kind == Loops::Kind::counter) {
      const Loops::Counter& counter = loops.counters[at(one.index)];
      return counter.first + (counter.inner ? inner_ : outer_);
    }
    const Loops::Sum& sum = loops.sums[at(one.index)];
    Expression all = 0;
    for (int m = 0; m < sum.count; ++m) all = all + WrittenOut(system_, outer_, m)(sum.body);
    return all;
  }
  Expression element(const Loops::Element& one, const std::shared_ptr<ExpressionGraph>& graph) const {
    const int number = one.number(outer_, inner_);
    for (const auto& [where, value] : one.beyond)
      if (where == number) return (*this)(value);
    const int wrapped = (number % one.count + one.count) % one.count;
    require(one.wraps || wrapped == number, "written_out: an element beyond its vector");
    return {graph, graph->variable(system_.state(one.first + wrapped))};
  }

  const OdeSystem& system_;
  int outer_, inner_;
};

double size_of(const OdeSystem& system, const Expression& e, bool kept) {
  if (e.is_constant()) return 1;
  double all = 0;
  const int root = e.node();
  for (const int index : e.graph()->reachable(std::span(&root, 1))) {
    const ExpressionGraph::Node& node = e.graph()->node(index);
    all += 1;
    const int loop = node.operation == Operation::variable ? node.operands[0] - system.loop_variable(0) : -1;
    if (loop < 0 || system.loops.variables[at(loop)].kind != Loops::Kind::sum) continue;
    const Loops::Sum& sum = system.loops.sums[at(system.loops.variables[at(loop)].index)];
    all += size_of(system, sum.body, kept) * (kept ? 1 : sum.count);
  }
  return all;
}

}  // namespace

template <class T, class Same>
int Loops::add(std::vector<T>& list, const T& one, Kind kind, Same&& same) {
  for (std::size_t v = 0; v < variables.size(); ++v)
    if (variables[v].kind == kind && same(list[at(variables[v].index)])) return static_cast<int>(v);
  variables.push_back({kind, static_cast<int>(list.size())});
  list.push_back(one);
  return static_cast<int>(variables.size()) - 1;
}

int Loops::add(const Element& one) {
  return add(elements, one, Kind::element,
             [&](const Element& other) { return other.first == one.first && other.number == one.number; });
}

int Loops::add(const Counter& one) {
  return add(counters, one, Kind::counter,
             [&](const Counter& other) { return other.inner == one.inner && other.first == one.first; });
}

int Loops::add(const Sum& one) {
  return add(sums, one, Kind::sum,
             [&](const Sum& other) { return other.count == one.count && other.body == one.body; });
}

Expression written_out(const OdeSystem& system, const Expression& e, int outer, int inner) {
  return WrittenOut(system, outer, inner)(e);
}

std::vector<Expression> written_out(const OdeSystem& system) {
  std::vector<Expression> all;
  for (const Expression& e : system.rhs) all.push_back(written_out(system, e));
  for (const Loops::Family& family : system.loops.families)
    for (int n = 0; n < family.count; ++n) all[at(family.first + n)] = written_out(system, family.body, n);
  return all;
}

double operations_of(const OdeSystem& system, bool kept) {
  double all = 0;
  for (const Expression& e : system.rhs) all += size_of(system, e, kept);
  for (const Loops::Family& family : system.loops.families)
    all += size_of(system, family.body, kept) * (kept ? 1 : family.count);
  return all;
}

}  // namespace halocline::ode_ensemble
