// The part of DeckReader that reads formulas, constants and definitions.
#include "io/deck/deck_reader.hpp"
#include "io/deck/wording.hpp"

namespace halocline {

namespace {
using Kind = DeckNode::Kind;
}  // namespace

void DeckReader::formula_fault(const Source& source, const TextFault& found) {
  const bool inside = found.character >= source.prefix;
  const Place place =
      inside ? deck_.place(source.value.node, found.character - source.prefix) : deck_.place(source.value.position);
  faults_.push_back({place, source.value.path, found.message});
}

bool DeckReader::formula(const Key& key, Formula& value, std::span<const char* const> variables) {
  const std::string names = join(to_strings(variables));
  const std::string expected = names.empty() ? "a formula without variables" : "a formula in " + names;
  const DeckEntry* entry = take(key, expected);
  if (entry == nullptr || !expect(value_of(*entry), Kind::scalar, expected)) return entry != nullptr;
  const Value given = value_of(*entry);
  value = {one_line(given.node.text), deck_.place(given.position)};
  if (value.text.empty()) fault(given, "is empty; expected " + expected);
  if (value.text.empty()) return true;
  for (const TextFault& found : scope_.check(value.text, variables)) formula_fault({given, 0}, found);
  return true;
}

void DeckReader::definitions(Definitions& value, std::span<const char* const> variables) {
  value.constants.clear();
  value.definitions.clear();
  std::vector<Source> sources;
  read_constants(value, sources);
  read_definitions(value, sources);
  for (const TextFault& found : scope_.define(value, variables)) {
    if (found.formula < sources.size()) formula_fault(sources[found.formula], found);
  }
}

void DeckReader::read_constants(Definitions& value, std::vector<Source>& sources) {
  const std::string expected = "a map of names to constant formulas";
  const DeckEntry* entry = take({"constants", "", "", false}, expected);
  if (entry == nullptr || !expect(value_of(*entry), Kind::map, expected)) return;
  const Value given = value_of(*entry);
  std::size_t number = 0;
  for (const Value& member : members(given)) {
    const std::string& name = given.node.entries[number++].key;
    if (!expect(member, Kind::scalar, "a constant formula")) continue;
    value.constants.push_back({name, {one_line(member.node.text), deck_.place(member.position)}});
    sources.push_back({member, 0});
  }
}

void DeckReader::read_definitions(Definitions& value, std::vector<Source>& sources) {
  const std::string expected = "a list of 'name = formula', or a map of names to formulas";
  const DeckEntry* entry = take({"definitions", "", "", false}, expected);
  if (entry == nullptr) return;
  const Value given = value_of(*entry);
  const auto add = [&](const Value& member, const std::string& prefix) {
    if (!expect(member, Kind::scalar, "'name = formula'")) return;
    value.definitions.push_back({prefix + one_line(member.node.text), deck_.place(member.position)});
    sources.push_back({member, prefix.size()});
  };
  if (given.node.kind == Kind::scalar) return add(given, "");
  if (given.node.kind != Kind::map && !expect(given, Kind::list, expected)) return;
  const bool map = given.node.kind == Kind::map;
  std::size_t number = 0;
  for (const Value& member : members(given)) {
    add(member, map ? given.node.entries[number].key + " = " : "");
    ++number;
  }
}

bool DeckReader::formulas(const Key& key, std::vector<NamedFormula>& values) {
  const bool file = names_file(key);
  const std::string expected = file ? "the name of a file" : "formulas, as a list or as a map of names to formulas";
  const DeckEntry* entry = take(key, expected);
  if (entry == nullptr) return false;
  const Value given = value_of(*entry);
  const bool map = given.node.kind == Kind::map, single = given.node.kind == Kind::scalar;
  // A list of one name, as resolved decks had it.
  const bool one = given.node.kind == Kind::list && given.node.items.size() == 1;
  if (file && !one && !expect(given, Kind::scalar, expected)) return true;
  if (!map && !single && !expect(given, Kind::list, expected)) return true;
  values.clear();
  if (key.required && !map && !single && given.node.items.empty()) fault(given, "is empty; expected " + expected);
  std::size_t number = 0;
  for (const Value& member : single ? std::vector<Value>{given} : members(given)) {
    const std::string name = map ? given.node.entries[number++].key : "";
    if (!expect(member, Kind::scalar, "a formula")) continue;
    values.push_back({name, {one_line(member.node.text), deck_.place(member.position)}});
    // Places in overrides are not shown; they tell apart the formulas of one.
    Place& place = values.back().formula.place;
    if (place.line == 0) place.column = static_cast<int>(member.node.offset) + 1;
    if (values.back().formula.text.empty()) fault(member, "is empty; expected " + (file ? expected : "a formula"));
    unchecked_.emplace_back(place, member);
  }
  return true;
}

void DeckReader::at(const Formula& formula, std::size_t character, const std::string& message) {
  for (const auto& [place, value] : unchecked_) {
    if (place.file != formula.place.file || place.line != formula.place.line || place.column != formula.place.column)
      continue;
    faults_.push_back({deck_.place(value.node, character), value.path, message});
    return;
  }
  Faults::at(formula, character, message);
}

}  // namespace halocline
