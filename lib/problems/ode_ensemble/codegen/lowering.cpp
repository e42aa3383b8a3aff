#include "lib/problems/ode_ensemble/codegen/lowering.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <unordered_map>

#include "lib/base/error.hpp"
#include "lib/problems/ode_ensemble/codegen/lowering_loops.hpp"
#include "lib/problems/ode_ensemble/stepper/ensemble.hpp"

namespace halocline::ode_ensemble {

namespace {

constexpr int most_operations = 10000, most_parameters = 64;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

void limit(int number, int most, const char* what) {
  if (number > most)
    throw DeckError("the model has " + std::to_string(number) + " " + what + "; at most " + std::to_string(most) +
                    " are possible");
}

// The graph of all expressions; a new one when all are numbers.
std::shared_ptr<ExpressionGraph> graph_of(const OdeSystem& system) {
  std::vector<Expression> all = system.rhs;
  for (const Loops::Family& family : system.loops.families) all.push_back(family.body);
  for (const OdeSystem::Event& event : system.events) {
    all.push_back(event.crossing);
    for (const auto& [state, value] : event.assignments) all.push_back(value);
  }
  for (const OdeSystem::Rest& rest : system.rests) all.insert(all.end(), {rest.speed, rest.until});
  for (const OdeSystem::Accumulator& a : system.accumulator) {
    all.insert(all.end(), {a.start, a.step, a.extremum_of});
    for (const auto& [event, value] : a.at_event) all.push_back(value);
  }
  all.insert(all.end(), system.outputs.begin(), system.outputs.end());
  all.insert(all.end(), system.noise.begin(), system.noise.end());
  for (const Expression& e : all) {
    if (!e.is_constant()) return e.graph();
  }
  return std::make_shared<ExpressionGraph>(std::vector<std::string>{});
}

class Lowering {
 public:
  Lowering(const OdeSystem& system, const LoweringOptions& options)
      : system_(system), options_(options), graph_(system, graph_of(system)) {
    if (!system.loops.families.empty()) loops_.emplace(system, graph_);
  }

  LoweredModel run() {
    check_limits();
    describe();
    collect();
    transform();
    assign_slots();
    generate();
    return std::move(model_);
  }

 private:
  // A function of the model and the nodes of its results.
  struct Function {
    Code* code;
    std::vector<int> roots;
  };

  void check_limits() const;
  void describe();
  void collect();
  void collect_events();
  void add(Code& code, const std::vector<Expression>& results);
  void transform();
  void assign_slots();
  void generate();
  Operand operand(int index, Stage stage, const std::unordered_map<int, int>& lines);
  Operand variable(int position, Stage stage);
  Code code_for(const std::vector<int>& roots, Stage stage);
  std::vector<int> schedule(const std::vector<int>& roots, Stage stage);

  const OdeSystem& system_;
  LoweringOptions options_;
  LoweringGraph graph_;
  std::optional<LoopLowering> loops_;
  LoweredModel model_;
  std::vector<Function> functions_;
  std::vector<int> kept_, timed_;                        // nodes by slot
  std::unordered_map<int, int> kept_slot_, timed_slot_;  // slots by node
};

void Lowering::check_limits() const {
  if (loops_) {
    limit(system_.states, most_elements, "states");
  } else {
    limit(system_.states + system_.quadratures, most_states, "states and integrals");
  }
  limit(system_.parameters, most_parameters, "swept names");
  limit(static_cast<int>(system_.events.size() + system_.rests.size()), most_events, "events and rests");
  limit(system_.accumulators, most_accumulators, "accumulators");
  require(static_cast<int>(system_.rhs.size()) == system_.states + system_.quadratures, "lower: one rhs per state");
  require(static_cast<int>(system_.accumulator.size()) == system_.accumulators, "lower: number of accumulators");
}

void Lowering::describe() {
  model_.states = system_.states;
  model_.quadratures = system_.quadratures;
  model_.parameters = system_.parameters;
  model_.accumulators = system_.accumulators;
  model_.loops = loops_.has_value();
  model_.tolerance = system_.tolerance;
  model_.keeps_quadrature = system_.keeps_quadrature;
  model_.keeps_quadrature.resize(at(system_.quadratures), false);
  model_.forcings = system_.forcings;
  model_.inside = system_.inside;
  model_.noise_state = system_.noise_state;
  model_.events.resize(system_.events.size());
  model_.rests.resize(system_.rests.size());
  for (std::size_t r = 0; r < system_.rests.size(); ++r) {
    const OdeSystem::Rest& rest = system_.rests[r];
    model_.rests[r] = {rest.event, -1, rest.below, rest.hold, {}};
    for (int i = 0; i < system_.states && !rest.speed.is_constant(); ++i) {
      const ExpressionGraph::Node& node = graph_.node(rest.speed.node());
      if (node.operation == Operation::variable && node.operands[0] == system_.state(i))
        model_.rests[r].speed_state = i;
    }
  }
}

void Lowering::add(Code& code, const std::vector<Expression>& results) {
  Function function{&code, {}};
  for (const Expression& result : results) function.roots.push_back(graph_.root(result));
  functions_.push_back(std::move(function));
}

void Lowering::collect() {
  if (!loops_) add(model_.rhs, system_.rhs);
  if (options_.linearized) add(model_.linearized, linearized(system_));
  collect_events();
  std::vector<Expression> start, step, extremum, slopes;
  for (std::size_t k = 0; k < system_.accumulator.size(); ++k) {
    const OdeSystem::Accumulator& a = system_.accumulator[k];
    model_.keeps.push_back(a.keep);
    start.push_back(a.start);
    step.push_back(a.step);
    if (a.extremum == 0) continue;
    model_.extrema.push_back({static_cast<int>(k), a.extremum});
    extremum.push_back(a.extremum_of);
    slopes.push_back(rate_of_change(system_, a.extremum_of));
  }
  add(model_.accumulator_start, start);
  add(model_.accumulator_step, step);
  extremum.insert(extremum.end(), slopes.begin(), slopes.end());
  add(model_.extremum_values, extremum);
  add(model_.outputs, system_.outputs);
  add(model_.noise, options_.noise_slopes ? noise_and_slopes(system_) : system_.noise);
}

void Lowering::collect_events() {
  std::vector<Expression> values, slopes;
  for (const OdeSystem::Event& event : system_.events) values.push_back(event.crossing);
  for (const OdeSystem::Rest& rest : system_.rests) values.push_back(rest.until);
  for (const Expression& value : values) slopes.push_back(rate_of_change(system_, value));
  values.insert(values.end(), slopes.begin(), slopes.end());
  add(model_.event_values, values);
  for (std::size_t e = 0; e < system_.events.size(); ++e) {
    LoweredModel::Event& event = model_.events[e];
    event.direction = system_.events[e].direction;
    event.ends_phase = system_.events[e].ends_phase;
    std::vector<Expression> assigned, accumulated;
    for (const auto& [state, value] : system_.events[e].assignments) {
      event.assigned.push_back(state);
      assigned.push_back(value);
    }
    for (std::size_t k = 0; k < system_.accumulator.size(); ++k) {
      for (const auto& [number, value] : system_.accumulator[k].at_event) {
        if (number != static_cast<int>(e)) continue;
        event.accumulated.push_back(static_cast<int>(k));
        accumulated.push_back(value);
      }
    }
    add(event.action, assigned);
    add(event.accumulate, accumulated);
  }
  for (std::size_t r = 0; r < system_.rests.size(); ++r) {
    const Expression& speed = system_.rests[r].speed;
    add(model_.rests[r].speed, {speed, rate_of_change(system_, speed)});
  }
}

void Lowering::transform() {
  std::vector<int> roots;
  for (const Function& function : functions_) roots.insert(roots.end(), function.roots.begin(), function.roots.end());
  if (loops_) roots.insert(roots.end(), loops_->roots().begin(), loops_->roots().end());
  if (options_.exp_log_powers) graph_.expand_powers(roots);
  graph_.regroup_products(roots);
  graph_.share_reciprocals(roots);
  graph_.factor_sums(roots);
  limit(static_cast<int>(graph_.order(roots).size()), most_operations, "operations");
  std::size_t next = 0;
  for (Function& function : functions_) {
    for (int& root : function.roots) root = roots[next++];
  }
  if (!loops_) return;
  for (int& root : loops_->roots()) root = roots[next++];
}

// A value gets a slot where something of a later stage uses it, or where it is a result itself.
void Lowering::assign_slots() {
  std::vector<int> roots;
  for (const Function& function : functions_) roots.insert(roots.end(), function.roots.begin(), function.roots.end());
  if (loops_) {
    const std::vector<int> early = loops_->early();
    roots.insert(roots.end(), early.begin(), early.end());
  }
  const int forced = 2 * static_cast<int>(system_.forcings.size());
  const auto use = [this, forced](int index, Stage by) {
    const Stage stage = graph_.stage(index);
    if (stage >= by) return;
    const bool is_time = graph_.node(index).operation == Operation::variable && stage == Stage::time;
    if (stage == Stage::system && kept_slot_.emplace(index, static_cast<int>(kept_.size())).second)
      kept_.push_back(index);
    if (stage == Stage::time && !is_time && timed_slot_.emplace(index, forced + static_cast<int>(timed_.size())).second)
      timed_.push_back(index);
  };
  for (const int root : roots) use(root, Stage::step);
  for (const int index : graph_.order(roots)) {
    for (const int input : graph_.inputs(index)) use(input, graph_.stage(index));
  }
  model_.kept = static_cast<int>(kept_.size());
  model_.timed = forced + static_cast<int>(timed_.size());
}

void Lowering::generate() {
  model_.setup = code_for(kept_, Stage::system);
  model_.at_time = code_for(timed_, Stage::time);
  for (const Function& function : functions_) *function.code = code_for(function.roots, Stage::step);
  if (loops_)
    loops_->generate([this](int node) { return operand(node, Stage::step, {}); }, model_.kept, model_.looped_setup,
                     model_.looped_rhs);
  model_.uses_time = !system_.forcings.empty();
  const auto note = [this](const Operand& o) { model_.uses_time |= o.from == From::time; };
  const auto note_lines = [&note](const std::vector<CodeLine>& lines) {
    for (const CodeLine& line : lines) note(line.a), note(line.b), note(line.c);
  };
  for (const Code* code : {&model_.rhs, &model_.at_time}) {
    for (const Operand& result : code->results) note(result);
    note_lines(code->lines);
  }
  for (const LoopedCode::Loop& loop : model_.looped_rhs.loops) note(loop.result);
  for (const auto& [row, result] : model_.looped_rhs.rows) note(result);
  note_lines(model_.looped_rhs.lines);
}

Operand Lowering::variable(int position, Stage stage) {
  if (position == OdeSystem::time) return {From::time};
  if (position < system_.parameter(0)) return {From::state, position - system_.state(0)};
  if (position < system_.accumulator_value(0)) {
    require(stage == Stage::system, "lower: a swept value outside setup");
    return {From::parameter, position - system_.parameter(0)};
  }
  if (position < system_.forcing(0)) return {From::accumulator, position - system_.accumulator_value(0)};
  if (position < system_.rate(0)) return {From::timed, position - system_.forcing(0)};
  const int forcings = static_cast<int>(system_.forcings.size());
  require(position < system_.forcing_rate(forcings), "lower: a variable outside the scope");
  if (position >= system_.forcing_rate(0)) return {From::timed, forcings + position - system_.forcing_rate(0)};
  return {From::rate, position - system_.rate(0)};
}

// `stage`: that of the function; earlier values are read from their slots.
Operand Lowering::operand(int index, Stage stage, const std::unordered_map<int, int>& lines) {
  const ExpressionGraph::Node& node = graph_.node(index);
  if (node.operation == Operation::constant) return {From::constant, 0, node.value};
  const Stage own = graph_.stage(index);
  if (own == Stage::system && stage > Stage::system) return {From::kept, kept_slot_.at(index)};
  if (node.operation == Operation::variable) return variable(node.operands[0], stage);
  if (own == Stage::time && stage > Stage::time) return {From::timed, timed_slot_.at(index)};
  return {From::value, lines.at(index)};
}

// The operations of one function: depth first, the operand that needs more values at once first (Sethi, Ullman, J. ACM
// 17, 1970), so that few are alive.
std::vector<int> Lowering::schedule(const std::vector<int>& roots, Stage stage) {
  const auto is_line = [&](int index) {
    return arity(graph_.node(index).operation) > 0 && graph_.stage(index) == stage;
  };
  std::unordered_map<int, int> need;
  for (const int index : graph_.order(roots)) {
    int most = 0, same = 0;
    for (const int input : graph_.inputs(index)) {
      const int one = is_line(input) ? need.at(input) : 0;
      same = one == most ? same + 1 : 1;
      most = std::max(most, one);
    }
    need[index] = std::max(1, most + (same > 1 ? 1 : 0));
  }
  std::vector<int> order;
  std::unordered_map<int, bool> done;
  std::vector<std::pair<int, bool>> stack;
  for (auto root = roots.rbegin(); root != roots.rend(); ++root) stack.emplace_back(*root, false);
  while (!stack.empty()) {
    const auto [index, ready] = stack.back();
    stack.pop_back();
    if (!is_line(index) || done.contains(index)) continue;
    if (ready) {
      done[index] = true;
      order.push_back(index);
      continue;
    }
    stack.emplace_back(index, true);
    std::vector<int> inputs = graph_.inputs(index);
    std::stable_sort(inputs.begin(), inputs.end(), [&](int a, int b) { return need.at(a) < need.at(b); });
    for (const int input : inputs) stack.emplace_back(input, false);
  }
  return order;
}

Code Lowering::code_for(const std::vector<int>& roots, Stage stage) {
  Code code;
  std::unordered_map<int, int> lines;
  for (const int index : schedule(roots, stage)) {
    CodeLine line{graph_.node(index).operation, graph_.in_turns(index), {}, {}, {}};
    const std::vector<int> inputs = graph_.inputs(index);
    Operand* const operands[] = {&line.a, &line.b, &line.c};
    for (std::size_t k = 0; k < inputs.size(); ++k) *operands[k] = operand(inputs[k], stage, lines);
    lines[index] = static_cast<int>(code.lines.size());
    code.lines.push_back(line);
  }
  for (const int root : roots) code.results.push_back(operand(root, stage, lines));
  return code;
}

double value_of(const Operand& operand, const CodeInputs& in, const std::vector<double>& lines) {
  switch (operand.from) {
    case From::constant:
      return operand.value;
    case From::time:
      return in.t;
    case From::state:
      return in.y[operand.index];
    case From::parameter:
      return in.p[operand.index];
    case From::accumulator:
      return in.a[operand.index];
    case From::rate:
      return in.f[operand.index];
    case From::kept:
      return in.s[operand.index];
    case From::timed:
      return in.d[operand.index];
    case From::value:
      return lines[at(operand.index)];
    case From::element:
    case From::table:
    case From::counter:
    case From::sum:
      break;
  }
  throw InternalError("run: code with loops");
}

}  // namespace

LoweredModel lower(const OdeSystem& system, const LoweringOptions& options) { return Lowering(system, options).run(); }

std::vector<double> run(const Code& code, const CodeInputs& inputs) {
  std::vector<double> lines, results;
  for (const CodeLine& line : code.lines) {
    double a = value_of(line.a, inputs, lines);
    if (line.turns) a = 2 * std::numbers::pi * (a - std::nearbyint(a));
    lines.push_back(apply(line.operation, a, value_of(line.b, inputs, lines), value_of(line.c, inputs, lines)));
  }
  for (const Operand& result : code.results) results.push_back(value_of(result, inputs, lines));
  return results;
}

}  // namespace halocline::ode_ensemble
