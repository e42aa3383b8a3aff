// Equations and initial values of a deck, those with an index among them, and whether loops stay.
#include <algorithm>
#include <cmath>

#include "lib/base/error.hpp"
#include "lib/problems/ode_ensemble/codegen/lowering.hpp"
#include "lib/problems/ode_ensemble/formulator.hpp"

namespace halocline::ode_ensemble {

namespace {

std::string element(const std::string& vector, int number) { return vector + "[" + std::to_string(number) + "]"; }

}  // namespace

void Formulator::name_equations() {
  vectors_.emplace(block_.constants, [this](const Formula& at, std::size_t character, const std::string& message) {
    names_.fault(at, character, message);
  });
  if (block_.equations.empty()) names_.fault("ode_ensemble", "gives no `equations`");
  for (NamedFormula& one : block_.equations) {
    bool faulty = false;
    const auto range = vectors_->take_range(one.formula, faulty);
    vectors_->prepare(one.formula);
    const auto cut = names_.cut(one, "'");
    if (!cut || faulty) continue;
    if (range || subscripted(cut->name)) {
      name_vector(*cut, range);
      continue;
    }
    const bool twice = std::any_of(equations_.begin(), equations_.end(),
                                   [&](const Equation& other) { return other.cut.name == cut->name; });
    if (twice) {
      names_.fault(one.formula, cut->name_at, "there are two equations for '" + cut->name + "'");
    } else if (names_.add(cut->name, "a state", one.formula)) {
      equations_.push_back({*cut, std::nullopt, static_cast<int>(made_.states.size())});
      made_.states.push_back(cut->name);
    }
  }
  name_definitions();
  prepare_texts();
  for (const auto& [index, at] : vectors_->indices()) names_.add(index, "an index", at);
}

// x[i]' = ... for i in 1..N.
void Formulator::name_vector(const Assignment& cut, const std::optional<Vectors::Range>& range) {
  const auto parts = subscripted(cut.name);
  const auto fault = [&](const std::string& message) { names_.fault(cut.text, cut.name_at, message); };
  if (!range)
    return fault("an equation of '" + parts->name + "' with an index ends with its range, as in \"" + parts->name +
                 "[i]' = ... for i in 1..N\"");
  if (!parts || parts->subscript.in(cut.name) != range->index)
    return fault("the equation has the range of '" + range->index + "': it reads \"x[" + range->index +
                 "]' = formula\"");
  if (vectors_->find(parts->name) != nullptr) return fault("there are two equations for '" + parts->name + "'");
  if (range->count() > most_elements)
    return fault("'" + parts->name + "' has " + std::to_string(range->count()) + " elements, " +
                 std::to_string(most_elements) + " at most");
  if (!names_.add(parts->name, "a vector of states", cut.text)) return;
  const int first = static_cast<int>(made_.states.size());
  vectors_->add({parts->name, *range, first});
  equations_.push_back({{parts->name, cut.name_at, cut.formula_at, cut.text}, range, first});
  for (int n = range->first; n <= range->last; ++n) made_.states.push_back(element(parts->name, n));
}

// Definitions with an index, and values beyond the ends of vectors, are no names of the scope.
void Formulator::name_definitions() {
  std::vector<NamedFormula> plain;
  for (NamedFormula& one : block_.definitions) {
    bool faulty = false;
    const auto range = vectors_->take_range(one.formula, faulty);
    vectors_->prepare(one.formula);
    const std::string& text = one.name.empty() ? one.formula.text : one.name;
    const bool indexed = range || text.substr(0, text.find('=')).find('[') != std::string::npos;
    if (!indexed) plain.push_back(one);
    const auto cut = indexed ? names_.cut(one, "") : std::nullopt;
    if (!cut || faulty) continue;
    const auto parts = subscripted(cut->name);
    if (!range) {
      vectors_->bound(cut->name, cut->text, cut->formula_at);
    } else if (!parts || parts->subscript.in(cut->name) != range->index || range->periodic) {
      names_.fault(cut->text, cut->name_at,
                   "a definition with an index reads 'w[" + range->index + "] = formula for " + range->index +
                       " in 1..N'" + (range->periodic ? ", without `periodic`" : ""));
    } else if (names_.add(parts->name, "a definition", cut->text)) {
      vectors_->define(parts->name, *range, cut->text, cut->formula_at);
    }
  }
  block_.definitions = plain;
}

void Formulator::prepare_texts() {
  const auto prepare = [this](std::vector<NamedFormula>& list) {
    for (NamedFormula& one : list) vectors_->prepare(one.formula);
  };
  prepare(block_.initial), prepare(block_.noise), prepare(block_.phase.length), prepare(block_.phase.at_most);
  for (EventOptions& one : block_.events.blocks)
    prepare(one.crossing), prepare(one.then), prepare(one.rest.speed), prepare(one.rest.until);
  for (AccumulatorOptions& one : block_.accumulators.blocks) {
    for (auto* list : {&one.maximum, &one.minimum, &one.mean, &one.integral, &one.value, &one.start, &one.each_step})
      prepare(*list);
    for (auto& list : one.at_event) prepare(list);
  }
}

// Without vectors nothing stays a loop, so that whoever takes derivatives of equations sees what sums depend on.
Sums Formulator::of_sums() const {
  const bool vectors =
      std::any_of(equations_.begin(), equations_.end(), [](const Equation& one) { return one.range.has_value(); });
  return vectors ? Sums::loops : Sums::written_out;
}

void Formulator::read_equations() {
  OdeSystem& system = made_.system;
  system.rhs.assign(made_.states.size(), Expression(0));
  for (const Equation& one : equations_) {
    const auto formula =
        names_.parse(one.cut.text, one.cut.formula_at, of_equations(), one.range ? &*one.range : nullptr, of_sums());
    if (one.range) {
      system.loops.families.push_back({one.state, one.range->count(), formula.value_or(Expression(0))});
    } else {
      system.rhs[static_cast<std::size_t>(one.state)] = formula.value_or(Expression(0));
    }
  }
  read_tangent();
  for (std::size_t i = 0; i < made_.states.size(); ++i)
    sources_[made_.states[i]] = {{static_cast<int>(i), 0, 0, 0}, made_.states[i]};
}

// Of a vector by its index (x[i]), of all elements (x), or of one (x[3]), which goes before.
void Formulator::read_by_state(const Assignment& one, Allowed allowed, ByState& made) {
  using Given = ByState::Given;
  const int state = state_number(one.name);
  if (state >= 0) {
    Given& given = made.given[static_cast<std::size_t>(state)];
    if (given == Given::alone) names_.fault(one.text, one.name_at, "'" + one.name + "' is given twice");
    given = Given::alone;
    const auto value = names_.parse(one.text, one.formula_at, allowed);
    if (value) made.value[static_cast<std::size_t>(state)] = *value;
    return;
  }
  const auto parts = subscripted(one.name);
  const Vectors::Vector* const vector = vectors_->find(parts ? parts->name : one.name);
  const bool whole = vector != nullptr && (!parts || parts->subscript.in(one.name) == vector->range.index);
  if (!whole) {
    std::vector<std::string> known = made_.states;
    for (const Equation& equation : equations_)
      if (equation.range)
        known.push_back(element(equation.cut.name, 0).replace(equation.cut.name.size() + 1, 1, equation.range->index));
    const std::string near = nearest_name(one.name, known);
    return names_.fault(one.text, one.name_at,
                        "'" + one.name + "' is no state" + (near.empty() ? "" : "; did you mean '" + near + "'?"));
  }
  const auto value = names_.parse(one.text, one.formula_at, allowed, &vector->range);
  for (int n = 0; n < vector->range.count(); ++n) {
    const auto at = static_cast<std::size_t>(vector->state + n);
    if (made.given[at] == Given::alone) continue;
    if (made.given[at] == Given::with_all)
      return names_.fault(one.text, one.name_at, "'" + vector->name + "' is given twice");
    made.given[at] = Given::with_all;
    if (value) made.value[at] = written_out(made_.system, *value, n);
  }
}

void Formulator::read_initial() {
  using Given = ByState::Given;
  ByState made(made_.states.size());
  const std::vector<Given>& given = made.given;
  const std::size_t tangents = has_tangent() ? equations_.size() : 0;  // the last states
  for (std::size_t i = given.size() - tangents; i < given.size(); ++i) {
    made.given[i] = Given::with_all;  // of a tangent: the same share in all directions
    made.value[i] = 1 / std::sqrt(static_cast<double>(equations_.size()));
  }
  for (const NamedFormula& one : block_.initial) read_by_state({one.name, 0, 0, one.formula}, Allowed::swept, made);
  made_.initial = made.value;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i] != Given::no) continue;
    names_.fault("ode_ensemble.initial", "has no value for state '" + made_.states[i] + "'");
    const auto parts = subscripted(made_.states[i]);  // one fault is enough for all elements
    while (parts && i + 1 < given.size() && made_.states[i + 1].starts_with(parts->name + "[")) ++i;
  }
}

// The states that a name of results stands for.
std::vector<std::string> Formulator::members(const std::string& name) const {
  const auto parts = subscripted(name);
  const Vectors::Vector* const vector = vectors_->find(parts ? parts->name : name);
  if (vector == nullptr || (parts && parts->subscript.in(name) != vector->range.index)) return {name};
  std::vector<std::string> all;
  for (int n = 0; n < vector->range.count(); ++n)
    all.push_back(made_.states[static_cast<std::size_t>(vector->state + n)]);
  return all;
}

// Few equations are written out, one after the other, with their states in registers; many stay loops, with their
// states in memory.
void Formulator::settle_loops() {
  constexpr double most_written_out = 1000;
  OdeSystem& system = made_.system;
  check_sizes();
  if (names_.faults() > 0 || (system.loops.families.empty() && system.loops.sums.empty())) return;
  const auto rows = static_cast<std::size_t>(system.states + system.quadratures);
  const bool loops = !system.loops.families.empty() && !has_jacobian(made_.method) &&
                     (rows > most_states || operations_of(system, false) > most_written_out);
  if (loops) {
    system.tolerance = slots_;
    return;
  }
  system.rhs = written_out(system);
  system.loops.families.clear();
  Ensemble& base = made_.base;
  const Ensemble by_slot = base;
  for (std::size_t i = 0; i < rows; ++i) {
    base.rtol[i] = by_slot.rtol[slots_[i]];
    base.atol[i] = by_slot.atol[slots_[i]];
  }
}

// Sums that are written out may be longer than what can be compiled.
void Formulator::check_operations() {
  if (made_.system.loops.variables.empty()) return;
  try {
    lower(made_.system);
  } catch (const DeckError& error) {
    names_.fault("ode_ensemble", error.what());
  }
}

void Formulator::check_sizes() {
  const OdeSystem& system = made_.system;
  if (system.loops.families.empty()) {
    limit(system.quadratures > 0 ? "states and integrals" : "states",
          made_.states.size() + static_cast<std::size_t>(system.quadratures), most_states);
  } else {
    limit("states and vectors of states", equations_.size(), most_states);
    limit(has_jacobian(made_.method) ? "states (ros23, rodas5p and auto solve dense systems)" : "states",
          made_.states.size(), has_jacobian(made_.method) ? most_states : most_elements);
  }
  limit("operations in its equations", static_cast<std::size_t>(operations_of(system, true)), 10000);
}

}  // namespace halocline::ode_ensemble
