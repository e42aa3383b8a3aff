#include "lib/problems/ode_ensemble/vectors/vectors.hpp"

#include <algorithm>
#include <cmath>

#include "lib/expression/graph.hpp"

namespace halocline::ode_ensemble {

namespace {

// The end of a range, far beyond what any model may have; sums may be longer than vectors.
constexpr double furthest = 100000;

std::string blanks(const std::string& text, Piece piece, const std::string& instead = "") {
  std::string made = text;
  for (std::size_t i = piece.begin; i < piece.end; ++i)
    if (made[i] != '\n') made[i] = ' ';
  return made.replace(piece.begin, instead.size(), instead);
}

}  // namespace

Vectors::Vectors(const std::vector<NamedFormula>& constants, Fault fault) : fault_(std::move(fault)) {
  for (const NamedFormula& one : constants) constants_.constants.emplace_back(one.name, one.formula);
  std::vector<FormulaFault> ignored;  // reported with those of all names
  whole_numbers_.emplace(std::span<const char* const>{}, constants_, ignored);
}

void Vectors::fault(const Formula& at, std::size_t character, const std::string& message) {
  ++faults_;
  fault_(at, character, message);
}

// --- Texts -----------------------------------------------------------------------------------------------------------

std::optional<int> Vectors::whole(const Formula& text, Piece piece) {
  std::vector<FormulaFault> found;
  const auto value = whole_numbers_->parse({only(text.text, piece), {"", 1, 1}}, {}, found);
  if (!found.empty()) {
    for (const FormulaFault& one : found) {
      const auto at = static_cast<std::size_t>(std::max(one.place.column - 1, 0));
      fault(text, at, fault_in({original(text).text, {}}, at, one.message).text());
    }
    return std::nullopt;
  }
  if (value->value() == std::round(value->value()) && std::abs(value->value()) <= furthest)
    return static_cast<int>(value->value());
  fault(text, piece.begin, "expected a whole number, of at most 100000");
  return std::nullopt;
}

void Vectors::note_index(const std::string& name, const Formula& at) {
  const bool known = std::any_of(indices_.begin(), indices_.end(), [&](const auto& one) { return one.first == name; });
  if (!known) indices_.emplace_back(name, at);
}

std::optional<Vectors::Range> Vectors::take_range(Formula& text, bool& faulty) {
  const std::optional<RangeText> found = range_in(text.text);
  faulty = false;
  if (!found) return std::nullopt;
  faulty = true;
  if (!found->wrong.empty()) {
    fault(text, found->all.begin, found->wrong);
    return std::nullopt;
  }
  const std::optional<int> first = whole(text, found->first), last = whole(text, found->last);
  if (!first || !last) return std::nullopt;
  Range made{std::string(found->index.in(text.text)), *first, *last, found->periodic};
  if (made.last < made.first) {
    fault(text, found->all.begin,
          "the range from " + std::to_string(made.first) + " to " + std::to_string(made.last) + " is empty");
    return std::nullopt;
  }
  note_index(made.index, text);
  const std::string before = text.text;
  text.text = blanks(before, found->all);
  originals_[text.text] = before;
  faulty = false;
  return made;
}

void Vectors::prepare(Formula& text) {
  const std::string before = text.text;
  for (auto found = sum_in(text.text); found; found = sum_in(text.text, found->all.begin + 1)) {
    const std::vector<Piece>& parts = found->arguments;
    if (!found->closed || parts.size() != 4 || parts[3].begin == parts[3].end) {
      fault(text, found->all.begin, "a sum reads 'sum(j, 1, N, formula)'");
      continue;
    }
    const std::string index(parts[0].in(text.text));
    const std::string bad = fault_of_name(index);
    if (!bad.empty()) fault(text, parts[0].begin, "the index of a sum is no name: " + bad);
    const std::optional<int> first = whole(text, parts[1]), last = whole(text, parts[2]);
    if (!bad.empty() || !first || !last) continue;
    Sum made{{index, *first, *last, false}, {only(text.text, parts[3]), text.place}};
    note_index(index, text);
    originals_[made.body.text] = original({before, {}}).text;
    const std::string name = "sum[#" + std::to_string(sums_.size()) + "]";
    const int number = static_cast<int>(sums_.size());
    sums_.push_back(made);
    text.text = blanks(text.text, found->all, name);
    prepare(made.body);
    sums_[static_cast<std::size_t>(number)].body.text = made.body.text;
    names_.push_back({name, Kind::sum, number, text});
  }
  if (text.text != before) originals_[text.text] = original({before, {}}).text;
  for (const Piece name : names_in(text.text)) {
    const std::string one(name.in(text.text));
    const bool known = std::any_of(names_.begin(), names_.end(), [&](const Name& other) { return other.text == one; });
    if (!known && one.ends_with(']')) names_.push_back({one, Kind::element, 0, text});
  }
}

std::vector<std::string> Vectors::used() const {
  const std::vector<std::string> one = whole_numbers_->unused(), other = subscripts_ ? subscripts_->unused() : one;
  std::vector<std::string> found;
  for (const auto& [name, formula] : constants_.constants) {
    const auto in = [&name = name](const std::vector<std::string>& list) {
      return std::find(list.begin(), list.end(), name) != list.end();
    };
    if (!in(one) || !in(other)) found.push_back(name);
  }
  return found;
}

Formula Vectors::original(const Formula& text) const {
  const auto found = originals_.find(text.text);
  return {found == originals_.end() ? text.text : found->second, text.place};
}

std::string Vectors::shown(std::string message) {
  for (std::size_t at = message.find("sum[#"); at != std::string::npos; at = message.find("sum[#"))
    message.replace(at, message.find(']', at) + 1 - at, "sum(...)");
  return message;
}

void Vectors::define(const std::string& name, const Range& range, const Formula& text, std::size_t from) {
  definitions_.push_back({name, range, text, from});
}

void Vectors::bound(const std::string& name, const Formula& text, std::size_t from) {
  const std::optional<Subscripted> parts = subscripted(name);
  for (std::size_t v = 0; v < vectors_.size(); ++v) {
    const Vector& one = vectors_[v];
    if (one.name != parts->name) continue;
    const std::size_t begin = std::min(text.text.find(name), text.text.size());
    std::vector<FormulaFault> found;
    const auto value = whole_numbers_->parse({only(name, parts->subscript), {"", 1, 1}}, {}, found);
    if (!found.empty() || value->value() != std::round(value->value()))
      return fault(text, begin,
                   "'" + name +
                       "': a value beyond the ends of a vector has a number, as in x[0]; a "
                       "definition with an index ends with its range: 'for i in 1..N'");
    const int number = static_cast<int>(value->value());
    if (number >= one.range.first && number <= one.range.last)
      return fault(text, begin, "'" + name + "' is an unknown: it has an equation");
    if (one.range.periodic)
      return fault(text, begin, "the range of '" + one.name + "' is periodic: nothing lies beyond its ends");
    if (bound_at(static_cast<int>(v), number) != nullptr) return fault(text, begin, "'" + name + "' is given twice");
    bounds_.push_back({static_cast<int>(v), number, text, from});
    return;
  }
  fault(text, 0, "'" + parts->name + "' is no vector: no equation has it with an index");
}

const Vectors::Vector* Vectors::find(const std::string& name) const {
  for (const Vector& one : vectors_)
    if (one.name == name) return &one;
  return nullptr;
}

Vectors::Bound* Vectors::bound_at(int vector, int number) {
  for (Bound& one : bounds_)
    if (one.vector == vector && one.number == number) return &one;
  return nullptr;
}

std::vector<std::string> Vectors::names(std::span<const std::string> states) const {
  std::vector<std::string> all;
  for (const auto& [name, at] : indices_) all.push_back(name);
  for (const Name& one : names_)
    if (std::find(states.begin(), states.end(), one.text) == states.end()) all.push_back(one.text);
  return all;
}

void Vectors::open(const Scope& scope, OdeSystem& system, Parse parse) {
  system_ = &system;
  parse_ = std::move(parse);
  graph_ = scope.variable(0).graph();
  const int first = system.replaced_name(0);
  for (const auto& [name, at] : indices_) names_.push_back({name, Kind::index, 0, at});
  for (int k = 0; k < system.replaced; ++k) {
    const std::string& name = graph_->variables()[static_cast<std::size_t>(first + k)];
    const auto found = std::find_if(names_.begin(), names_.end(), [&](const Name& one) { return one.text == name; });
    name_at_[first + k] = static_cast<int>(found - names_.begin());
  }
  std::vector<const char*> indices;
  for (const auto& [name, at] : indices_) indices.push_back(name.c_str());
  std::vector<FormulaFault> ignored;
  subscripts_.emplace(indices, constants_, ignored);
}

}  // namespace halocline::ode_ensemble
