// The family's entry in the table: plan, and what a restart must have in common.
#include <algorithm>
#include <bit>
#include <cstdint>

#include "lib/base/format.hpp"
#include "lib/problems/ode_ensemble/ode_ensemble.hpp"
#include "lib/problems/ode_ensemble/part.hpp"
#include "lib/problems/ode_ensemble/pilot.hpp"
#include "lib/problems/ode_ensemble/problem.hpp"

namespace halocline {

namespace ode_ensemble {

namespace {

std::string joined(const std::vector<NamedFormula>& all) {
  std::string text;
  for (const NamedFormula& one : all) text += one.name + ": " + one.formula.text + "\n";
  return text;
}

std::string number(double value) { return " " + exact_text(value); }

// Tells lists of numbers apart (FNV-1a).
std::string mixed(const std::vector<double>& numbers) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const double one : numbers) hash = (hash ^ std::bit_cast<std::uint64_t>(one)) * 0x100000001b3ULL;
  return " " + std::to_string(hash);
}

// Everything that decides the numbers of a run, but for the sweep's values, and the number of recorded phases: more of
// them may follow.
std::string texts_of(const BlockOptions& block, const Formulation& made) {
  std::string text = made.model + "\n" + joined(block.constants) + joined(block.definitions) + joined(block.equations) +
                     joined(block.initial) + joined(block.phase.start) + joined(block.phase.length) +
                     joined(block.phase.at_most) + block.phase.ends + joined(block.record.all_phases);
  for (const EventOptions& e : block.events.blocks)
    text += e.name + std::to_string(place_of(e.direction)) + joined(e.crossing) + joined(e.then) +
            joined(e.rest.speed) + joined(e.rest.until) + number(e.rest.below) + std::to_string(e.ends_phase ? 1 : 0);
  for (std::size_t i = 0; i < block.accumulators.blocks.size(); ++i) {
    const AccumulatorOptions& a = block.accumulators.blocks[i];
    text += block.accumulators.names[i] + joined(a.maximum) + joined(a.minimum) + joined(a.mean) + joined(a.integral) +
            joined(a.value) + joined(a.start) + joined(a.each_step) + a.count + a.at + (a.refined ? "r" : "") +
            (a.lyapunov ? "l" : "") + (a.keep ? "k" : "");
    for (const auto& at : a.at_event) text += joined(at);
  }
  for (const std::string& name : block.record.each_phase) text += name + ",";
  for (const ForcingOptions& f : block.forcing.blocks) text += f.name + " ";
  for (const TableShape& table : made.system.forcings)
    text += std::to_string(table.count) + std::to_string(table.cubic) + std::to_string(table.holds) + ",";
  if (made.tables && !made.tables->empty()) text += mixed(*made.tables);
  if (!made.times.empty()) text += mixed(made.times);
  for (const Result& one : made.at_times) text += one.name + ",";
  for (const Expression& e : made.system.outputs) text += std::to_string(e.size()) + ",";
  const Ensemble& base = made.base;
  text += number(base.step) + number(base.first_share) + number(base.min_step) + number(base.min_share) +
          number(base.max_step) + number(base.event_tolerance) + number(base.steady) + " " +
          std::to_string(static_cast<int>(made.method)) + std::to_string(static_cast<int>(base.controller)) +
          std::to_string(base.restart_time) + std::to_string(base.restart_step) + " " + std::to_string(base.transient) +
          " " + std::to_string(place_of(block.evaluation)) + std::to_string(place_of(block.math.pow));
  // More states than there is room for are a fault told elsewhere.
  const std::vector<int>& shared = made.system.tolerance;
  const std::size_t states = std::min<std::size_t>(made.states.size(), most_states);
  const std::size_t tolerances =
      shared.empty()
          ? states + std::min<std::size_t>(static_cast<std::size_t>(made.system.quadratures), most_accumulators)
          : static_cast<std::size_t>(shared.back()) + 1;
  if (is_stochastic(made.method))
    text += joined(block.noise) + number(static_cast<double>(base.noise_seed)) + " " + std::to_string(base.fine_steps) +
            " " + std::to_string(base.path_parameter);
  for (std::size_t i = 0; i < tolerances; ++i) text += number(base.rtol[i]) + number(base.atol[i]);
  return text;
}

// The swept values of a few systems tell sweeps apart.
std::string sweep_text(const Sweep& sweep) {
  std::string text;
  const Index last = sweep.systems() - 1;
  for (int name = 0; name < static_cast<int>(sweep.names().size()); ++name)
    for (const Index i : {Index{0}, last / 7, last / 3, last / 2, last}) text += number(sweep.value(name, i));
  return text;
}

// Systems that a run would refuse; of large sweeps, which would take long, only the first ones are looked at.
void check_starts(const Formulation& made, Faults& faults) {
  constexpr double most_operations = 2e7;
  constexpr Index most_listed = 10, at_once = 4096;
  const OdeSystem& system = made.system;
  const double each = operations_of(system, false) + 10.0 * (system.states + system.parameters) + 100;
  const Index systems = std::min(made.sweep.systems(), static_cast<Index>(most_operations / each) + 1);
  const Formulation bare = without_records(made);
  Index count = 0;
  std::string listed;
  for (Index first = 0; first < systems; first += at_once) {
    Part part(bare, system.states + 5, first, std::min(at_once, systems - first));
    for (const long long one : part.mark_bad_starts(bare))
      if (count++ < most_listed) listed += "\n  " + values_of(made, first + one);
  }
  if (count > 0) faults.at("ode_ensemble", bad_starts_text(count, listed) + "\n`on_failure: report` leaves them out");
}

Plan plan(const Options& base, const Shape& shape, Faults& faults) {
  const auto& options = static_cast<const EnsembleOptions&>(base);
  const Formulation made = formulate(options, &faults);
  if (!made.sweep.valid() || made.initial.empty()) return {};
  if (options.verify.given && !options.verify.reference.empty()) read_reference(options.verify, made, &faults);
  if (made.valid && options.block.on_failure != OnFailure::report) check_starts(made, faults);
  Plan plan;
  const Index systems = made.sweep.systems(), states = made.system.states;
  plan.unknowns = systems * states;
  const Index rows = 2 * states + 20 + made.system.parameters + made.base.all_phases_records +
                     made.base.each_phase_records * made.base.record +
                     made.base.time_records * static_cast<Index>(made.base.time_count);
  plan.bytes_per_part = static_cast<std::size_t>(8 * rows * (systems / static_cast<Index>(shape.weights.size()) + 1));
  plan.work = operations_of(made.system, false) * static_cast<double>(systems) * stages_of(made.method);
  plan.table_bytes = made.result_bytes;
  plan.archived_bytes = 2 * sizeof(double) * static_cast<std::size_t>(systems) / shape.weights.size();
  if (const auto even = cut_evenly(systems, made.method, shape.weights)) plan.partition = *even;
  plan.shape = std::to_string(systems) + " systems of " + std::to_string(states) + " equations";
  plan.notes = made.warnings;
  if (!made.system.loops.families.empty())
    plan.notes.push_back("the " + std::to_string(states) +
                         " states of a system lie in memory and its equations stay loops; up to " +
                         std::to_string(most_states) + " states of short equations are written out, in registers");
  plan.formulas = texts_of(options.block, made) + sweep_text(made.sweep);
  return plan;
}

}  // namespace

}  // namespace ode_ensemble

const Family& ode_ensemble_family() {
  static const Family family{
      "ode_ensemble",
      "many small systems of ordinary differential equations from formulas, with events and sweeps",
      [] { return std::unique_ptr<Options>(new ode_ensemble::EnsembleOptions); },
      {},
      ode_ensemble::plan,
      [](const Context& context, const Options& options) {
        return std::unique_ptr<Problem>(
            new ode_ensemble::EnsembleProblem(context, static_cast<const ode_ensemble::EnsembleOptions&>(options)));
      },
      Pace::none,
      false};
  return family;
}

}  // namespace halocline
