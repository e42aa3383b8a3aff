// Events, rests and accumulators of a deck as expressions.
#include <algorithm>
#include <limits>

#include "lib/expression/graph.hpp"
#include "lib/problems/ode_ensemble/formulator.hpp"

namespace halocline::ode_ensemble {

namespace {

bool contains(const Expression& e, Operation operation) {
  if (e.is_constant()) return false;
  const int root = e.node();
  for (const int index : e.graph()->reachable(std::span(&root, 1)))
    if (e.graph()->node(index).operation == operation) return true;
  return false;
}

}  // namespace

void Formulator::read_assignments(const EventOptions& event, OdeSystem::Event& made) {
  for (const NamedFormula& one : event.then) {
    const auto cut = names_.cut(one, "");
    if (!cut) continue;
    const int state = state_number(cut->name);
    if (state < 0) {
      names_.fault(one.formula, cut->name_at, "'" + cut->name + "' is no state; events change states only");
      continue;
    }
    const bool twice = std::any_of(made.assignments.begin(), made.assignments.end(),
                                   [&](const auto& other) { return other.first == state; });
    if (twice) {
      names_.fault(one.formula, cut->name_at, "'" + cut->name + "' is assigned twice");
      continue;
    }
    const auto value = names_.parse(one.formula, cut->formula_at, Allowed::events);
    if (value) made.assignments.emplace_back(state, *value);
  }
}

void Formulator::read_rest(const EventOptions& event, int number) {
  const std::string path = "ode_ensemble.events[" + std::to_string(number) + "].rest";
  OdeSystem::Rest made;
  made.event = number;
  made.below = event.rest.below;
  const auto speed = parse_one(event.rest.speed, Allowed::events, path + ".speed");
  const auto until = parse_one(event.rest.until, Allowed::events, path + ".until");
  if (speed) made.speed = *speed;
  if (until) made.until = *until;
  for (const std::string& name : event.rest.hold) {
    const int state = state_number(name);
    if (state < 0) names_.fault(path + ".hold", "'" + name + "' is no state");
    if (state >= 0) made.hold.push_back(state);
  }
  const double tolerance = block_.solver.event_tolerance;
  if (made.below * made.below / 2 < 10 * tolerance)
    names_.fault(path + ".below",
                 "is too small: bounces of this speed are lower than the event tolerance; below^2/2 must be at least "
                 "10 event_tolerance");
  made_.system.rests.push_back(std::move(made));
}

void Formulator::read_events() {
  OdeSystem& system = made_.system;
  for (std::size_t e = 0; e < block_.events.blocks.size(); ++e) {
    const EventOptions& event = block_.events.blocks[e];
    const std::string path = "ode_ensemble.events[" + std::to_string(e) + "]";
    OdeSystem::Event made;
    const auto crossing = parse_one(event.crossing, Allowed::events, path + ".crossing");
    if (crossing) made.crossing = *crossing;
    bool moves = false;
    for (int i = 0; crossing && i <= system.states + system.quadratures; ++i) moves = moves || crossing->depends_on(i);
    for (int i = system.forcing(0); crossing && i < system.variables(); ++i) moves = moves || crossing->depends_on(i);
    if (crossing && !moves)
      names_.fault(event.crossing.front().formula, 0,
                   "depends on no state, integral or forcing and not on time: it never crosses zero");
    made.direction = event.direction == Direction::both ? 0 : event.direction == Direction::falling ? -1 : 1;
    made.ends_phase = event.ends_phase;
    read_assignments(event, made);
    system.events.push_back(std::move(made));
    if (event.has_rest) read_rest(event, static_cast<int>(e));
  }
}

void Formulator::read_extremum(const AccumulatorOptions& one, OdeSystem::Accumulator& made, int position) {
  const bool largest = !one.maximum.empty();
  const NamedFormula& text = (largest ? one.maximum : one.minimum).front();
  const auto e = names_.parse(text, Allowed::integrals);
  if (!e) return;
  const Expression self = names_.scope().variable(made_.system.accumulator_value(position));
  made.start = *e;
  made.step = combine(largest ? Operation::max : Operation::min, {self, *e});
  if (!one.refined) return;
  if (contains(*e, Operation::select))
    names_.fault(text.formula, 0, "a refined extremum cannot be taken of a formula with `if`");
  made.extremum = largest ? 1 : -1;
  made.extremum_of = *e;
}

void Formulator::read_general(const AccumulatorOptions& one, const std::string& path, const Expression& self,
                              OdeSystem::Accumulator& made) {
  const auto start = parse_one(one.start, Allowed::motion, path + ".start");
  if (start) made.start = *start;
  if (!one.each_step.empty()) {
    const auto step = parse_one(one.each_step, Allowed::all, path + ".each_step");
    made.step = step.value_or(self);
  }
  for (std::size_t e = 0; e < one.at_event.size(); ++e) {
    if (one.at_event[e].empty()) continue;
    const auto value = parse_one(one.at_event[e], Allowed::all, path + ".at_" + block_.events.blocks[e].name);
    if (value) made.at_event.emplace_back(static_cast<int>(e), *value);
  }
}

void Formulator::read_accumulators() {
  OdeSystem& system = made_.system;
  system.accumulator.resize(accumulators_.size());
  for (std::size_t i = 0; i < block_.accumulators.blocks.size(); ++i) {
    const AccumulatorOptions& one = block_.accumulators.blocks[i];
    const std::string& name = block_.accumulators.names[i];
    const std::string path = "ode_ensemble.accumulators." + name;
    const bool events = std::any_of(one.at_event.begin(), one.at_event.end(), [](const auto& e) { return !e.empty(); });
    const bool general = !one.start.empty() || !one.each_step.empty() || events;
    const int kinds = int(!one.maximum.empty()) + int(!one.minimum.empty()) + int(!one.mean.empty()) +
                      int(!one.integral.empty()) + int(!one.count.empty()) + int(!one.value.empty()) + int(general) +
                      int(one.lyapunov);
    if (kinds != 1) {
      names_.fault(path,
                   "give one of: maximum, minimum, mean, integral, count, value with at, lyapunov, or start with "
                   "each_step and at_EVENT");
      continue;
    }
    if (one.refined && one.maximum.empty() && one.minimum.empty())
      names_.fault(path + ".refined", "is for maximum and minimum");
    if (one.lyapunov) {
      system.rhs.push_back(growth_);
      system.keeps_quadrature.push_back(one.keep);
      sources_[name] = {{system.states + position_[i], 1, one.keep ? 1 : 0, 0}, "largest Lyapunov exponent"};
      continue;
    }
    if (!one.mean.empty() || !one.integral.empty()) {
      const bool mean = !one.mean.empty();
      const auto& texts = mean ? one.mean : one.integral;
      system.rhs.push_back(parse_one(texts, of_equations(), path, of_sums()).value_or(Expression(0)));
      system.keeps_quadrature.push_back(one.keep);
      const int source = system.states + position_[i];
      sources_[name] = {{source, mean ? 1 : 0, one.keep ? 1 : 0, 0}, texts.front().formula.text};
      continue;
    }
    OdeSystem::Accumulator& made = system.accumulator[static_cast<std::size_t>(position_[i])];
    const Expression self = names_.scope().variable(system.accumulator_value(position_[i]));
    made.keep = one.keep;
    made.step = self;
    const std::string& at = one.count.empty() ? one.at : one.count;
    const int event = event_number(at);
    const bool needs_event = !one.count.empty() || !one.value.empty();
    if (needs_event && event < 0)
      names_.fault(path + (one.count.empty() ? ".at" : ".count"), "there is no event '" + at + "'");
    if (!one.maximum.empty() || !one.minimum.empty()) read_extremum(one, made, position_[i]);
    if (!one.count.empty()) made.start = 0, made.at_event.emplace_back(event, self + 1);
    if (!one.value.empty()) {
      made.start = std::numeric_limits<double>::quiet_NaN();  // until the event happens
      const auto value = parse_one(one.value, Allowed::events, path + ".value");
      if (value) made.at_event.emplace_back(event, *value);
    }
    if (general) read_general(one, path, self, made);
    const bool inside = !one.count.empty() || !one.value.empty();  // what changes at events only
    sources_[name] = {{system.states + system.quadratures + position_[i], 0, 0, 0}, name, inside};
  }
}

// The largest Lyapunov exponent of a system by its variational equation, with exact derivatives.
//
// A small difference d obeys d' = J d, J the Jacobian. Its direction u and its logarithm obey
//   u' = J u - g u,   (log |d|)' = g,   g = u.J u/u.u,
// which neither grow nor shrink: |u| stays what it is, and whatever rounding and the error of steps make of it has no
// influence on g. So the exponent is the mean of g, and components of u are states like others.
void Formulator::name_tangent() {
  if (!has_tangent()) return;
  for (const Equation& one : equations_) {
    const std::string name = tangent_ + "_" + one.cut.name;
    if (names_.add(name, "a component of a small difference", "ode_ensemble.accumulators." + tangent_))
      made_.states.push_back(name);
  }
}

void Formulator::read_tangent() {
  if (!has_tangent()) return;
  OdeSystem& system = made_.system;
  const std::string path = "ode_ensemble.accumulators." + tangent_ + ".lyapunov";
  for (const EventOptions& event : block_.events.blocks)
    if (!event.then.empty() || event.has_rest)
      return names_.fault(
          path, "event '" + event.name + "' changes states, and with them small differences, which is not followed");
  if (!system.loops.families.empty()) return names_.fault(path, "is for equations without an index: write them out");
  const int n = static_cast<int>(equations_.size());
  const auto u = [&](int i) { return names_.scope().variable(system.state(n + i)); };
  std::vector<Expression> rates;
  Expression along = 0, square = 0;
  for (int i = 0; i < n; ++i) {
    const Expression f = system.rhs[static_cast<std::size_t>(i)];
    for (int q = 0; q < system.quadratures; ++q)
      if (f.depends_on(system.state(system.states + q)))
        return names_.fault(
            path, "equations read the integral '" + quadratures_[static_cast<std::size_t>(q)] + "': make it a state");
    Expression rate = 0;
    for (int j = 0; j < n && !f.is_constant(); ++j) rate = rate + derivative(f, system.state(j)) * u(j);
    rates.push_back(rate);
    along = along + u(i) * rate;
    square = square + u(i) * u(i);
  }
  growth_ = along / square;
  for (int i = 0; i < n; ++i)
    system.rhs[static_cast<std::size_t>(n + i)] = rates[static_cast<std::size_t>(i)] - growth_ * u(i);
}

}  // namespace halocline::ode_ensemble
