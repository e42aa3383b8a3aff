// What a deck records: at ends of phases and of the run, over all phases, at given times, and the way of some systems.
#include <algorithm>
#include <cmath>

#include "lib/base/format.hpp"
#include "lib/problems/ode_ensemble/formulator.hpp"

namespace halocline::ode_ensemble {

void Formulator::add_result(const std::string& name, const std::string& path, std::vector<Result>& list) {
  auto source = sources_.find(name);
  if (source == sources_.end() && add_output(name, path)) source = sources_.find(name);
  if (source == sources_.end()) {
    std::vector<std::string> known;
    for (const auto& [one, where] : sources_) known.push_back(one);
    const std::string near = nearest_name(name, known);
    names_.fault(path, "'" + name + "' is no state, accumulator or definition" +
                           (near.empty() ? "" : "; did you mean '" + near + "'?"));
    return;
  }
  if (&list == &made_.at_times && !source->second.inside)
    return names_.fault(path, "'" + name + "' changes from step to step; record it at ends of phases");
  list.push_back({name, "", source->second.formula, source->second.record});
}

bool Formulator::add_output(const std::string& name, const std::string& path) {
  for (const NamedFormula& one : block_.definitions) {
    const auto cut = names_.cut(one, "");
    if (!cut || cut->name != name) continue;
    std::vector<FormulaFault> found;
    auto value = names_.scope().parse({name, {"", 1, 1}}, names_.allowed(Allowed::events), found);
    for (const FormulaFault& fault : found) names_.fault(path, fault.text());
    if (value) value = vectors_->resolve(*value, one.formula);
    if (value) value = written_out(made_.system, *value);
    const OdeSystem& system = made_.system;
    const int source =
        system.states + system.quadratures + system.accumulators + static_cast<int>(system.outputs.size());
    made_.system.outputs.push_back(value.value_or(Expression(0)));
    bool inside = true;
    for (int i = 0; value && i < system.accumulators; ++i)
      inside = inside && !value->depends_on(system.accumulator_value(i));
    sources_[name] = {{source, 0, 0, 0}, cut->text.text.substr(cut->formula_at), inside};
    return true;
  }
  return false;
}

void Formulator::read_records() {
  const RecordOptions& record = block_.record;
  const std::string path = "ode_ensemble.record";
  for (const std::string& name : record.final_values)
    for (const std::string& one : members(name)) add_result(one, path + ".final", made_.final_values);
  for (const std::string& name : record.each_phase)
    for (const std::string& one : members(name)) add_result(one, path + ".each_phase", made_.each_phase);
  if (record.has_each_phase && !block_.has_repeat)
    names_.fault(path + ".each_phase", "needs `repeat`, which says how many phases are recorded");
  for (const NamedFormula& one : record.all_phases) {
    static const std::vector<std::string> kinds{"maximum", "minimum", "mean", "last"};
    const auto kind = std::find(kinds.begin(), kinds.end(), one.formula.text);
    if (kind == kinds.end() || one.name.empty()) {
      names_.fault(one.formula, 0, "expected maximum, minimum, mean or last");
      continue;
    }
    for (const std::string& name : members(one.name)) {
      add_result(name, path + ".all_phases." + one.name, made_.all_phases);
      if (made_.all_phases.empty() || made_.all_phases.back().name != name) continue;
      made_.all_phases.back().reduction = *kind;
      made_.all_phases.back().record.reduction = static_cast<int>(kind - kinds.begin());
    }
  }
  name_results();
  read_times();
  const bool some = !made_.final_values.empty() || !made_.each_phase.empty() || !made_.all_phases.empty();
  if (!some && !record.has_trajectory && !record.has_at_times) names_.fault(path, "names no result");
  read_trajectory();
}

// What is recorded in several ways keeps its name at ends of phases; at the end of the run, and over all phases, it has
// another one.
void Formulator::name_results() {
  std::vector<std::string> all;
  const auto taken = [&all](const std::string& name) { return std::find(all.begin(), all.end(), name) != all.end(); };
  for (auto* list : {&made_.each_phase, &made_.all_phases, &made_.final_values}) {
    std::vector<std::string> own;
    for (Result& result : *list) {
      const std::string name = result.name;
      const bool again = std::find(own.begin(), own.end(), name) != own.end();
      own.push_back(name);
      if (taken(name) && !again && list != &made_.each_phase)
        result.name += "_" + (result.reduction.empty() ? "final" : result.reduction);
      if (taken(result.name))
        names_.fault("ode_ensemble.record", "'" + result.name + "' is recorded twice; give it another name");
      all.push_back(result.name);
    }
  }
}

void Formulator::read_times() {
  const TimesOptions& wanted = block_.record.at_times;
  const std::string path = "ode_ensemble.record.at_times";
  if (!block_.record.has_at_times) return;
  made_.system.inside = true;
  for (const std::string& name : wanted.values)
    for (const std::string& one : members(name)) {
      const auto same = [&one](const Result& result) { return result.name == one; };
      if (std::any_of(made_.at_times.begin(), made_.at_times.end(), same))
        names_.fault(path + ".values", "'" + one + "' is recorded twice");
      add_result(one, path + ".values", made_.at_times);
    }
  if (wanted.values.empty()) names_.fault(path + ".values", "names nothing");
  const bool range = !wanted.from.empty() || !wanted.to.empty() || wanted.has_points;
  if (range == wanted.has_times || (range && !wanted.has_points))
    return names_.fault(path, "give from, to and points, or times");
  made_.times = wanted.times;
  if (range) {
    const double from = parse_one(wanted.from, Allowed::constants, path + ".from").value_or(Expression(0)).value();
    const double to = parse_one(wanted.to, Allowed::constants, path + ".to").value_or(Expression(1)).value();
    const auto last = static_cast<double>(wanted.points - 1);
    for (Index k = 0; k < wanted.points; ++k)
      made_.times.push_back(
          k == wanted.points - 1 && k > 0 ? to : from + (to - from) * (static_cast<double>(k) / std::max(last, 1.0)));
  }
  if (made_.times.empty()) return names_.fault(path + ".times", "is empty");
  for (std::size_t k = 1; k < made_.times.size(); ++k)
    if (!(made_.times[k] > made_.times[k - 1])) return names_.fault(path, "the times must increase");
  if (made_.start.is_constant() && made_.times.front() < made_.start.value())
    names_.fault(path, "begins before the systems, which start at t = " + exact_text(made_.start.value()));
  const std::optional<double> end = common_end(false);
  if (end && made_.times.back() > *end + 1e-9 * std::abs(*end))
    made_.warnings.push_back("record.at_times goes on to t = " + exact_text(made_.times.back()) +
                             ", systems end at t = " + exact_text(*end) + ": values after that are NaN");
}

void Formulator::read_trajectory() {
  const TrajectoryOptions& trajectory = block_.record.trajectory;
  const std::string path = "ode_ensemble.record.trajectory";
  if (!block_.record.has_trajectory) return;
  for (const double number : trajectory.systems)
    if (number != std::floor(number) || number >= static_cast<double>(made_.sweep.systems()))
      names_.fault(path + ".systems", "there are systems 0 to " + std::to_string(made_.sweep.systems() - 1));
  if (std::find(made_.states.begin(), made_.states.end(), "offset") != made_.states.end())
    names_.fault(path, "a state cannot be named 'offset' here: the table of points has a column of that name");
  if ((trajectory.every > 0) == trajectory.steps) names_.fault(path, "give `every: time` or `steps: true`");
}

}  // namespace halocline::ode_ensemble
