#include "io/deck/deck_schema.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "io/deck/wording.hpp"

namespace halocline {

using json = nlohmann::ordered_json;

// The schema of the group being described.
struct DeckSchema::Json {
  json group;
};

namespace {

json new_group() { return {{"type", "object"}, {"additionalProperties", false}, {"properties", json::object()}}; }

// Numbers may be texts in lib/expression's grammar; bounds then apply in the reader alone.
json number_schema(const Bounds& bounds, const char* type = "number") {
  json schema = {{"type", {type, "string"}}};
  if (std::isfinite(bounds.low)) schema[bounds.open_low ? "exclusiveMinimum" : "minimum"] = bounds.low;
  if (std::isfinite(bounds.high)) schema[bounds.open_high ? "exclusiveMaximum" : "maximum"] = bounds.high;
  return schema;
}

json text_schema() { return {{"type", {"string", "number", "boolean"}}}; }

json map_of(json values) { return {{"type", "object"}, {"additionalProperties", std::move(values)}}; }

// Adds `schema` as property of `group`; `fallback` is the default, null when there is none.
bool add(json& group, const Key& key, json schema, const json& fallback) {
  std::string help = key.help;
  const std::string unit = key.unit;
  if (!unit.empty() && unit != "1") help += (help.empty() ? "[" : " [") + unit + "]";
  if (!help.empty()) schema["description"] = help;
  if (!key.required && !fallback.is_null()) schema["default"] = fallback;
  if (key.required) group["required"].push_back(key.name);
  group["properties"][key.name] = std::move(schema);
  return false;
}

// Any word where none are known.
json words_schema(std::span<const char* const> words) {
  if (words.empty()) return {{"type", "string"}};
  json schema;
  schema["enum"] = json::array();
  for (const char* word : words) schema["enum"].push_back(word);
  return schema;
}

template <class T>
json list_default(const std::vector<T>& values) {
  return values.empty() ? json() : json(values);
}

}  // namespace

DeckSchema::DeckSchema(const std::string& title) : json_(std::make_unique<Json>()) {
  json_->group = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}};
  const std::string name = title.substr(title.rfind(' ') + 1);
  json_->group["$id"] = "urn:halocline:deck:" + name;
  json_->group.update(new_group());
}
DeckSchema::~DeckSchema() = default;

bool DeckSchema::item(const Key& key, double& value, const Bounds& bounds) {
  const bool valid = std::isfinite(value) && within(value, bounds);
  return add(json_->group, key, number_schema(bounds), valid ? json(value) : json());
}
bool DeckSchema::item(const Key& key, Index& value, const Bounds& bounds) {
  const bool valid = within(static_cast<double>(value), bounds);
  return add(json_->group, key, number_schema(bounds, "integer"), valid ? json(value) : json());
}
bool DeckSchema::item(const Key& key, bool& value) {
  return add(json_->group, key, {{"enum", {true, false, "true", "false", "yes", "no", "on", "off"}}}, value);
}
bool DeckSchema::item(const Key& key, std::string& value) {
  return add(json_->group, key, text_schema(), value.empty() ? json() : json(value));
}
bool DeckSchema::item(const Key& key, std::vector<double>& values, const Bounds& bounds) {
  return add(json_->group, key, {{"type", "array"}, {"items", number_schema(bounds)}}, list_default(values));
}
bool DeckSchema::item(const Key& key, std::vector<std::string>& values) {
  const json schema = {{"type", {"array", "string", "number", "boolean"}}, {"items", text_schema()}};
  return add(json_->group, key, schema, list_default(values));
}
bool DeckSchema::item(const Key& key, std::vector<std::vector<double>>& rows, int columns) {
  json row = {{"type", "array"}, {"items", number_schema({})}};
  if (columns > 0) row["minItems"] = row["maxItems"] = columns;
  return add(json_->group, key, {{"type", "array"}, {"items", row}}, list_default(rows));
}
bool DeckSchema::item(const Key& key, NamedNumbers& value, std::span<const char* const> names, const Bounds& bounds) {
  json map = map_of(number_schema(bounds));
  if (!names.empty()) map["propertyNames"] = words_schema(names);
  json fallback;
  for (const auto& [name, number] : value.entries) {
    if (name.empty()) {
      fallback = number;
    } else {
      fallback[name] = number;
    }
  }
  return add(json_->group, key, {{"anyOf", json::array({number_schema(bounds), map})}}, fallback);
}
bool DeckSchema::subset(const Key& key, std::vector<std::string>& values, std::span<const char* const> words) {
  const json word = words_schema(words);
  const json list = {{"type", "array"}, {"items", word}, {"uniqueItems", true}};
  return add(json_->group, key, {{"anyOf", json::array({list, word})}}, list_default(values));
}
bool DeckSchema::formula(const Key& key, Formula& value, std::span<const char* const>) {
  return add(json_->group, key, {{"type", {"string", "number"}}}, value.given() ? json(value.text) : json());
}
bool DeckSchema::choice(const Key& key, int& value, std::span<const char* const> names) {
  const bool valid = value >= 0 && value < static_cast<int>(names.size());
  return add(json_->group, key, words_schema(names), valid ? json(names[static_cast<std::size_t>(value)]) : json());
}

void DeckSchema::definitions(Definitions&, std::span<const char* const>) {
  const json formula = {{"type", {"string", "number"}}};
  const Key constants{"constants", "", "Numbers by name, as formulas without variables.", false};
  add(json_->group, constants, map_of(formula), {});
  const json list = {{"type", "array"}, {"items", {{"type", "string"}}}};
  const Key definitions{"definitions", "", "Names for parts of formulas.", false};
  add(json_->group, definitions, {{"anyOf", json::array({list, map_of(formula), {{"type", "string"}}})}}, {});
}

bool DeckSchema::group(const Key& key, Options& options) {
  json outer = std::exchange(json_->group, new_group());
  options.describe(*this);
  json inner = std::exchange(json_->group, std::move(outer));
  // A block without a line under it is an empty block.
  if (!inner.contains("required")) inner["type"] = {"object", "null"};
  return add(json_->group, key, std::move(inner), {});
}

bool DeckSchema::groups(const Key& key, OptionsList& list) {
  json outer = std::exchange(json_->group, new_group());
  list.sample()->describe(*this);
  const json inner = std::exchange(json_->group, std::move(outer));
  const json blocks = {{"type", "array"}, {"items", inner}};
  return add(json_->group, key, {{"anyOf", json::array({blocks, inner})}}, {});
}

bool DeckSchema::groups(const Key& key, OptionsList& list, std::vector<std::string>&) {
  json outer = std::exchange(json_->group, new_group());
  list.sample()->describe(*this);
  json inner = std::exchange(json_->group, std::move(outer));
  inner.erase("additionalProperties");  // keys may hold names of the deck
  return add(json_->group, key, map_of(inner), {});
}

bool DeckSchema::formulas(const Key& key, std::vector<NamedFormula>&) {
  if (names_file(key)) return add(json_->group, key, {{"type", "string"}}, {});
  const json formula = {{"type", {"string", "number"}}};
  const json list = {{"type", "array"}, {"items", formula}};
  return add(json_->group, key, {{"anyOf", json::array({list, map_of(formula), formula})}}, {});
}

bool DeckSchema::word_or_group(const Key& key, int& word, std::span<const char* const> names, Options& options) {
  json outer = std::exchange(json_->group, new_group());
  options.describe(*this);
  const json inner = std::exchange(json_->group, std::move(outer));
  const bool valid = word >= 0 && word < static_cast<int>(names.size());
  return add(json_->group, key, {{"anyOf", json::array({words_schema(names), inner})}},
             valid ? json(names[static_cast<std::size_t>(word)]) : json());
}

std::string DeckSchema::text() const { return json_->group.dump(2, ' ', false, json::error_handler_t::replace) + "\n"; }

}  // namespace halocline
