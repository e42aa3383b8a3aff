#include "lib/problems/ode_ensemble/codegen/system.hpp"

#include <algorithm>
#include <vector>

#include "lib/expression/graph.hpp"

namespace halocline::ode_ensemble {

namespace {

// e's partial derivative by variable `position`, times variable `rate`.
Expression share(const Expression& e, int position, int rate) {
  const Expression slope = derivative(e, position);
  if (slope.is_constant() && slope.value() == 0) return 0;
  return slope * Expression(e.graph(), e.graph()->variable(rate));
}

}  // namespace

Expression derivative_by_time(const OdeSystem& system, const Expression& e) {
  if (e.is_constant()) return 0;
  Expression sum = derivative(e, OdeSystem::time);
  for (int i = 0; i < static_cast<int>(system.forcings.size()); ++i)
    sum = sum + share(e, system.forcing(i), system.forcing_rate(i));
  return sum;
}

Expression rate_of_change(const OdeSystem& system, const Expression& e) {
  if (e.is_constant()) return 0;
  Expression sum = derivative_by_time(system, e);
  for (int i = 0; i < system.states + system.quadratures; ++i) sum = sum + share(e, system.state(i), system.rate(i));
  return sum;
}

std::vector<Expression> linearized(const OdeSystem& system) {
  std::vector<Expression> all = system.rhs;
  const auto add = [&all](const Expression& e, int variable) {
    all.push_back(e.is_constant() ? Expression(0) : derivative(e, variable));
  };
  for (const Expression& e : system.rhs)
    for (int i = 0; i < system.states; ++i) add(e, system.state(i));
  for (const Expression& e : system.rhs) all.push_back(derivative_by_time(system, e));
  return all;
}

std::vector<Expression> noise_and_slopes(const OdeSystem& system) {
  std::vector<Expression> all = system.noise;
  for (std::size_t k = 0; k < system.noise.size(); ++k) {
    const Expression& g = system.noise[k];
    all.push_back(g.is_constant() ? Expression(0) : derivative(g, system.state(system.noise_state[k])));
  }
  return all;
}

const char* stage_name(Stage stage) {
  static constexpr const char* names[] = {"compile", "system", "stage", "step"};
  return names[static_cast<int>(stage)];
}

Stage stage_of(const OdeSystem& system, const Expression& e) {
  Stage stage = Stage::compile;
  if (e.is_constant()) return stage;
  const int root = e.node();
  for (const int index : e.graph()->reachable(std::span(&root, 1))) {
    const ExpressionGraph::Node& node = e.graph()->node(index);
    if (node.operation != Operation::variable) continue;
    const int position = node.operands[0];
    const int loop = position - system.loop_variable(0);
    const bool swept = loop >= 0 ? system.loops.is_counter(loop)
                                 : position >= system.parameter(0) && position < system.parameter(system.parameters);
    const bool forced =
        position >= system.forcing(0) && position < system.forcing(static_cast<int>(system.forcings.size()));
    const bool timed = position == OdeSystem::time || forced || (position >= system.forcing_rate(0) && loop < 0);
    stage = std::max(stage, timed ? Stage::time : swept ? Stage::system : Stage::step);
  }
  return stage;
}

}  // namespace halocline::ode_ensemble
