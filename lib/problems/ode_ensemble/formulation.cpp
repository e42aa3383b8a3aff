#include "lib/problems/ode_ensemble/formulation.hpp"

#include <algorithm>
#include <cmath>

#include "lib/problems/ode_ensemble/formulator.hpp"

namespace halocline::ode_ensemble {

Formulation formulate(const EnsembleOptions& options, Faults* faults) { return Formulator(options, faults).take(); }

Formulator::Formulator(const EnsembleOptions& options, Faults* faults)
    : options_(options),
      block_(options.block),
      names_(faults),
      made_{{}, Sweep(options.block.sweep, options.block.combine == Combination::zip, "ode_ensemble.sweep", faults)} {
  choose_model();
  name_everything();
  read_solver();
  if (names_.faults() > 0 || !made_.sweep.valid()) return;  // faults of names would bring others
  names_.use(*vectors_, made_.system, of_equations());
  read_forcing();
  read_equations();
  read_initial();
  read_noise();
  read_events();
  read_accumulators();
  settle_loops();
  read_phase();
  check_forcing();
  read_records();
  check_noisy_times();
  note_stages();
  note_unused_sweeps();
  check_limits();
  made_.valid = names_.faults() == 0;
}

void Formulator::choose_model() {
  if (block_.model == ReadyModel::none) return;
  made_.model = word_for(block_.model);
  const std::string path = "ode_ensemble.";
  const auto refuse = [&](const char* key, bool given) {
    if (given) names_.fault(path + key, "`model: " + made_.model + "` brings its own " + key);
  };
  refuse("constants", !block_.constants.empty());
  refuse("definitions", !block_.definitions.empty());
  refuse("equations", !block_.equations.empty());
  refuse("events", block_.events.size() > 0);
  refuse("accumulators", block_.accumulators.size() > 0);
  const BlockOptions ready = ready_model(made_.model);
  block_.constants = ready.constants;
  block_.definitions = ready.definitions;
  block_.equations = ready.equations;
  block_.events = ready.events;
  block_.accumulators = ready.accumulators;
  if (block_.initial.empty()) block_.initial = ready.initial;
  const std::string& wanted = ready.sweep.blocks.front().name;
  if (made_.sweep.valid() && made_.sweep.names() != std::vector<std::string>{wanted})
    names_.fault(path + "sweep", "`model: " + made_.model + "` needs one swept value, " + wanted);
}

void Formulator::name_everything() {
  name_equations();
  for (std::size_t i = 0; i < made_.sweep.names().size(); ++i)
    names_.add(made_.sweep.names()[i], "a swept value", "ode_ensemble.sweep[" + std::to_string(i) + "]");
  for (std::size_t i = 0; i < block_.events.blocks.size(); ++i)
    names_.add(block_.events.blocks[i].name, "an event", "ode_ensemble.events[" + std::to_string(i) + "].name");
  name_accumulators();
  name_tangent();
  for (std::size_t i = 0; i < block_.forcing.blocks.size(); ++i) {
    const std::string& name = block_.forcing.blocks[i].name;
    if (names_.add(name, "a forcing", "ode_ensemble.forcing[" + std::to_string(i) + "].name"))
      forcings_.push_back(name);
  }
  if (names_.faults() == 0 && made_.sweep.valid()) open_names();
}

void Formulator::open_names() {
  OdeSystem& system = made_.system;
  system.states = static_cast<int>(made_.states.size());
  system.quadratures = static_cast<int>(quadratures_.size());
  system.parameters = static_cast<int>(made_.sweep.names().size());
  system.accumulators = static_cast<int>(accumulators_.size());
  system.forcings.resize(forcings_.size());
  const std::vector<std::string> replaced = vectors_->names(made_.states);
  system.replaced = static_cast<int>(replaced.size());
  names_.show(*vectors_);
  names_.open(block_, made_.states, quadratures_, made_.sweep.names(), means_, accumulators_, forcings_, replaced);
}

void Formulator::name_accumulators() {
  for (std::size_t i = 0; i < block_.accumulators.blocks.size(); ++i) {
    const AccumulatorOptions& one = block_.accumulators.blocks[i];
    const std::string& name = block_.accumulators.names[i];
    if (!names_.add(name, "an accumulator", "ode_ensemble.accumulators." + name)) continue;
    const bool integral = !one.mean.empty() || !one.integral.empty() || one.lyapunov;
    auto& list = integral ? quadratures_ : accumulators_;
    if (!one.mean.empty() || one.lyapunov) means_.push_back(name);
    if (one.lyapunov && has_tangent())
      names_.fault("ode_ensemble.accumulators." + name + ".lyapunov", "there is '" + tangent_ + "' already");
    if (one.lyapunov) tangent_ = name;
    position_.push_back(static_cast<int>(list.size()));
    list.push_back(name);
  }
}

std::optional<Expression> Formulator::parse_one(const std::vector<NamedFormula>& one, Allowed allowed,
                                                const std::string& path, Sums sums) {
  if (one.size() != 1 || !one.front().name.empty()) {
    names_.fault(path, one.empty() ? "missing; expected a formula" : "expected one formula");
    return std::nullopt;
  }
  return names_.parse(one.front().formula, 0, allowed, nullptr, sums);
}

int Formulator::state_number(const std::string& name) const {
  const auto found = std::find(made_.states.begin(), made_.states.end(), name);
  return found == made_.states.end() ? -1 : static_cast<int>(found - made_.states.begin());
}

int Formulator::event_number(const std::string& name) const {
  for (std::size_t e = 0; e < block_.events.blocks.size(); ++e)
    if (block_.events.blocks[e].name == name) return static_cast<int>(e);
  return -1;
}

// Methods with a Jacobian, and steps that integrals have no part in, take these for something that nothing depends on.
Allowed Formulator::of_equations() const {
  const bool free = made_.method != Method::rk4 && made_.base.free_quadratures != 0;
  return has_jacobian(made_.method) || is_stochastic(made_.method) || free ? Allowed::motion : Allowed::integrals;
}

// --- Numbers -------------------------------------------------------------------------------------------------------

void Formulator::read_solver() {
  const SolverOptions& solver = block_.solver;
  made_.method = solver.method;
  Ensemble& base = made_.base;
  base.controller = solver.controller;
  base.min_step = solver.min_step;
  base.min_share = solver.has_min_step ? 0 : time_spacing;
  if (solver.has_max_step) base.max_step = solver.max_step;
  base.event_tolerance = solver.event_tolerance;
  base.most_steps = solver.max_steps;
  base.step = has_fixed_steps(made_.method) ? solver.step : solver.first_step;
  read_method_keys();
  check_noise();
  read_tolerances();
}

void Formulator::read_method_keys() {
  const SolverOptions& solver = block_.solver;
  const std::string path = "ode_ensemble.solver.";
  const auto refuse = [&](const char* key, bool given, const std::string& why) {
    if (given) names_.fault(path + key, why);
  };
  if (has_fixed_steps(made_.method)) {
    const std::string method = word_for(made_.method);
    const std::string why = "is not used by " + method + ", whose steps are all of size `step`";
    refuse("rtol", solver.has_rtol, why);
    refuse("atol", solver.has_atol, why);
    refuse("controller", solver.has_controller, why);
    refuse("integrals", solver.has_integrals, why);
    refuse("first_step", solver.has_first_step, why);
    refuse("min_step", solver.has_min_step, why);
    refuse("max_step", solver.has_max_step, why);
    if (!solver.has_step) names_.fault(path + "step", "missing; " + method + " needs the size of its steps");
    return;
  }
  refuse("step", solver.has_step,
         "is for rk4, euler_maruyama and milstein; this method chooses its steps: give rtol, atol, first_step");
  const double most = solver.has_max_step ? solver.max_step : unlimited_step;
  if (!(solver.min_step <= most)) names_.fault(path + "min_step", "is greater than max_step");
  if (!solver.has_first_step) return;
  if (!(solver.min_step <= solver.first_step)) names_.fault(path + "first_step", "is less than min_step");
  if (!(solver.first_step <= most)) names_.fault(path + "first_step", "is greater than max_step");
}

void Formulator::read_tolerances() {
  const SolverOptions& solver = block_.solver;
  constexpr double usual = 1e-8;
  std::vector<std::string> controlled;  // states, or vectors of them
  for (const std::string& state : made_.states) {
    const auto vector = subscripted(state);
    const std::string name = vector ? vector->name : state;
    if (controlled.empty() || controlled.back() != name) controlled.push_back(name);
    slots_.push_back(static_cast<int>(controlled.size()) - 1);
  }
  for (std::size_t q = 0; q < quadratures_.size(); ++q) slots_.push_back(static_cast<int>(controlled.size() + q));
  const bool integrals = solver.integrals == Integrals::controlled;
  if (integrals) controlled.insert(controlled.end(), quadratures_.begin(), quadratures_.end());
  for (const auto* tolerances : {&solver.rtol, &solver.atol}) {
    const char* key = tolerances == &solver.rtol ? "rtol" : "atol";
    for (const auto& [name, value] : tolerances->entries)
      if (!name.empty() && std::find(controlled.begin(), controlled.end(), name) == controlled.end())
        names_.fault(std::string("ode_ensemble.solver.") + key,
                     "'" + name + "' is no state" + (integrals ? " and no integral or mean" : "") +
                         (subscripted(name) ? "; the elements of a vector share the tolerance under its name" : ""));
  }
  double finest = 1;
  Ensemble& base = made_.base;
  base.free_quadratures = integrals ? 0 : 1;
  std::fill(std::begin(base.atol), std::end(base.atol), no_tolerance);
  for (std::size_t i = 0; i < std::min(controlled.size(), std::size(base.rtol)); ++i) {
    base.rtol[i] = solver.rtol.of(controlled[i], usual);
    base.atol[i] = solver.atol.of(controlled[i], usual);
    finest = std::min(finest, base.rtol[i]);
    const bool least_error = !has_fixed_steps(made_.method) && !has_jacobian(made_.method);
    if (least_error && solver.controller == Controller::mixed && base.atol[i] < 1e-17)
      names_.fault("ode_ensemble.solver.atol",
                   "cannot be met for '" + controlled[i] +
                       "': `controller: mixed` adds 1e-18 to every error; `controller: rms` "
                       "takes any tolerance");
  }
  // Steps of the methods of order 5 go with the fifth root of the tolerance.
  if (!has_fixed_steps(made_.method) && !solver.has_first_step) base.first_share = 0.01 * std::pow(finest, 0.2);
}

void Formulator::read_phase() {
  const PhaseOptions& phase = block_.phase;
  Ensemble& base = made_.base;
  const std::string path = "ode_ensemble.phase";
  const bool by_event = !phase.ends.empty();
  if (by_event != !phase.at_most.empty() || by_event == !phase.length.empty()) {
    names_.fault(path, "needs an end: `length`, or `ends` (an event) with `at_most` (a time)");
    return;
  }
  if (by_event && event_number(phase.ends) < 0) names_.fault(path + ".ends", "there is no event '" + phase.ends + "'");
  if (by_event && event_number(phase.ends) >= 0)
    made_.system.events[static_cast<std::size_t>(event_number(phase.ends))].ends_phase = true;
  const auto& texts = by_event ? phase.at_most : phase.length;
  if (!phase.start.empty())
    made_.start = parse_one(phase.start, Allowed::swept, path + ".start").value_or(Expression(0));
  base.start_per_system = made_.start.is_constant() ? 0 : 1;
  const auto length = parse_one(texts, Allowed::swept, path + (by_event ? ".at_most" : ".length"));
  if (length) made_.length = *length;
  if (length && length->is_constant() && !(length->value() > 0))
    names_.fault(texts.front().formula, 0, "must be positive");
  base.phase_by_event = by_event ? 1 : 0;
  base.restart_time = phase.restart_time ? 1 : 0;
  base.restart_step = phase.restart_step ? 1 : 0;
  base.steady = phase.steady;
  base.transient = block_.repeat.transient;
  base.record = block_.repeat.record;
}

// --- Notes and limits
// -------------------------------------------------------------------------------------------------

// Where it is known beforehand: points at equal times of phases of equal length.
double Formulator::trajectory_bytes() const {
  const TrajectoryOptions& trajectory = block_.record.trajectory;
  const Ensemble& base = made_.base;
  if (!block_.record.has_trajectory || trajectory.steps || base.phase_by_event != 0 || !made_.length.is_constant())
    return 0;
  const double time = made_.length.value() * static_cast<double>(base.transient + base.record);
  return 8 * time / trajectory.every * static_cast<double>(trajectory.systems.size() * (made_.states.size() + 1));
}

void Formulator::note_stages() {
  for (const NamedFormula& one : block_.definitions) {
    const std::string name =
        one.name.empty() ? one.formula.text.substr(0, one.formula.text.find_first_of(" =")) : one.name;
    const auto value = names_.scope().find(name);
    if (value) made_.stages.emplace_back(name, stage_name(stage_of(made_.system, *value)));
  }
  const std::vector<std::string> in_ranges = vectors_->used();
  for (const std::string& name : names_.scope().unused())
    if (std::find(in_ranges.begin(), in_ranges.end(), name) == in_ranges.end())
      made_.warnings.push_back("'" + name + "' is defined but never used");
}

void Formulator::note_unused_sweeps() {
  const OdeSystem& system = made_.system;
  std::vector<Expression> all = system.rhs;
  const auto add = [&all](const Expression& e) { all.push_back(e); };
  for (const Loops::Family& family : system.loops.families) add(family.body);
  for (const Loops::Sum& sum : system.loops.sums) add(sum.body);
  for (const Loops::Element& element : system.loops.elements)
    for (const auto& [where, value] : element.beyond) add(value);
  for (const Expression& e : made_.initial) add(e);
  add(made_.length);
  for (const auto& event : system.events) {
    add(event.crossing);
    for (const auto& [state, value] : event.assignments) add(value);
  }
  for (const auto& rest : system.rests) add(rest.speed), add(rest.until);
  for (const auto& one : system.accumulator) {
    add(one.start), add(one.step);
    for (const auto& [event, value] : one.at_event) add(value);
  }
  add(made_.start);
  for (const Expression& e : system.outputs) add(e);
  for (const Expression& e : system.noise) add(e);
  for (int p = 0; p < system.parameters; ++p) {
    if (p == made_.sweep.paths()) continue;
    const bool used = std::any_of(all.begin(), all.end(), [&](const Expression& e) {
      return !e.is_constant() && e.depends_on(system.parameter(p));
    });
    if (!used)
      made_.warnings.push_back("no formula uses the swept value '" + made_.sweep.names()[static_cast<std::size_t>(p)] +
                               "'");
  }
}

void Formulator::limit(const char* what, std::size_t count, std::size_t most) {
  if (count > most)
    names_.fault("ode_ensemble",
                 "has " + std::to_string(count) + " " + what + ", " + std::to_string(most) + " at most");
}

void Formulator::check_limits() {
  const OdeSystem& system = made_.system;
  limit("swept values", made_.sweep.names().size(), 64);
  limit(system.rests.empty() ? "events" : "events and rests", block_.events.blocks.size() + system.rests.size(),
        most_events);
  limit("accumulators", block_.accumulators.blocks.size(), most_accumulators);
  limit("results by phase", made_.each_phase.size(), most_records);
  limit("results over phases", made_.all_phases.size(), most_records);
  limit("values at given times", made_.at_times.size(), most_records);
  limit("recorded definitions", made_.system.outputs.size(), most_outputs);
  limit("forcings", block_.forcing.blocks.size(), most_forcings);
  if (names_.faults() > 0) return;
  check_operations();
  Ensemble& base = made_.base;
  base.each_phase_records = static_cast<int>(made_.each_phase.size());
  base.all_phases_records = static_cast<int>(made_.all_phases.size());
  for (std::size_t r = 0; r < made_.each_phase.size(); ++r) base.each_phase_record[r] = made_.each_phase[r].record;
  for (std::size_t r = 0; r < made_.all_phases.size(); ++r) base.all_phases_record[r] = made_.all_phases[r].record;
  base.time_records = static_cast<int>(made_.at_times.size());
  base.time_count = static_cast<long long>(made_.times.size());
  for (std::size_t r = 0; r < made_.at_times.size(); ++r) base.time_record[r] = made_.at_times[r].record;
  const double columns = static_cast<double>(made_.at_times.size()) * static_cast<double>(made_.times.size()) +
                         static_cast<double>(made_.each_phase.size()) * static_cast<double>(base.record) +
                         static_cast<double>(made_.all_phases.size() + made_.final_values.size());
  made_.result_bytes = 8 * columns * static_cast<double>(made_.sweep.systems()) + trajectory_bytes();
}

}  // namespace halocline::ode_ensemble
