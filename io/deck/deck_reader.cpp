#include "io/deck/deck_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "io/deck/wording.hpp"

namespace halocline {
namespace {

using Kind = DeckNode::Kind;

std::string found(const DeckNode& node) {
  if (node.kind == Kind::map) return "found a map";
  if (node.kind == Kind::list) return "found a list";
  return "found " + quoted(node.text);
}

std::string one_of(std::span<const std::string> words) { return "expected one of " + join(words); }

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return text;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> words) {
  const std::string near = nearest_name(word, words);
  return near.empty() ? "" : "did you mean " + quoted(near) + "? ";
}

std::string last_key(const std::string& path) { return path.substr(path.rfind('.') + 1); }
std::string block_of(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? "the top of the deck" : quoted(path.substr(0, dot));
}

}  // namespace

DeckReader::DeckReader(const Deck& deck) : deck_(deck), faults_(deck.faults()) {
  frames_.push_back({&deck.root(), {0, 1, 1}, "", {}});
}

// --- Walking -----------------------------------------------------------------------------------------------------

std::string DeckReader::path_of(std::string_view key) const {
  const std::string& group = frames_.back().path;
  return group.empty() ? std::string(key) : group + "." + std::string(key);
}

const DeckEntry* DeckReader::find(const Key& key) {
  Frame& frame = frames_.back();
  frame.keys.emplace_back(key.name);
  described_.push_back(path_of(key.name));
  return frame.map == nullptr ? nullptr : frame.map->find(key.name);
}

// The key's entry, with a fault when it is missing but required.
const DeckEntry* DeckReader::take(const Key& key, const std::string& expected) {
  const DeckEntry* entry = find(key);
  const Frame& frame = frames_.back();
  if (entry == nullptr && key.required && frame.map != nullptr) {
    fault(frame.position, path_of(key.name), "missing; expected " + expected + ": " + key.help);
  }
  return entry;
}

DeckReader::Value DeckReader::value_of(const DeckEntry& entry) const {
  const bool scalar = entry.value.kind == Kind::scalar;
  return {entry.value, scalar ? entry.value.position : entry.position, path_of(entry.key)};
}

std::vector<DeckReader::Value> DeckReader::members(const Value& value) const {
  std::vector<Value> all;
  for (const DeckNode& item : value.node.items) {
    all.push_back({item, item.position, value.path + "[" + std::to_string(all.size()) + "]"});
  }
  for (const DeckEntry& entry : value.node.entries) {
    all.push_back(value_of(entry));
    all.back().path = value.path + "." + entry.key;
  }
  return all;
}

void DeckReader::describe(Options& options, Frame frame) {
  frames_.push_back(std::move(frame));
  options.describe(*this);
  leave();
}

// Keeps what nobody described; suggestions need the keys of all groups and are made in finish().
void DeckReader::leave() {
  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  if (frame.map == nullptr) return;
  for (const DeckEntry& entry : frame.map->entries) {
    if (std::find(frame.keys.begin(), frame.keys.end(), entry.key) == frame.keys.end()) {
      unknown_.push_back({&entry, frame.path, frame.keys});
    }
  }
}

// --- Faults ------------------------------------------------------------------------------------------------------

void DeckReader::fault(const Value& value, const std::string& message) { fault(value.position, value.path, message); }

void DeckReader::fault(const DeckPosition& position, const std::string& path, const std::string& message) {
  faults_.push_back({deck_.place(position), path, message});
}

void DeckReader::at(std::string_view path, const std::string& message) {
  faults_.push_back({deck_.place(path), std::string(path), message});
}

void DeckReader::at(const Place& place, const std::string& message) { faults_.push_back({place, "", message}); }

std::string DeckReader::suggestion(const Unknown& unknown) const {
  const std::string& key = unknown.entry->key;
  if (unknown.entry->value.kind == Kind::null && key.find_first_of("()") != std::string::npos) {
    return "a formula that holds a comma must be quoted";
  }
  std::vector<std::string> others, places;
  for (const std::string& path : described_) {
    if (last_key(path) == key) return "it belongs to " + block_of(path);
    if ((unknown.group + ".").starts_with(path + ".")) continue;  // the blocks that the key stands in
    others.push_back(last_key(path));
    places.push_back(path);
  }
  for (const auto& [choice, word] : top_words_) {
    if (unknown.group.empty() && word == key) return "it would be read with '" + choice + ": " + word + "'";
  }
  const std::string here = nearest_name(key, unknown.keys);
  if (!here.empty()) return "did you mean " + quoted(here) + "?";
  const std::string there = nearest_name(key, others);
  if (!there.empty()) {
    const auto at = static_cast<std::size_t>(std::find(others.begin(), others.end(), there) - others.begin());
    return "did you mean " + quoted(there) + " of " + block_of(places[at]) + "?";
  }
  return unknown.keys.empty() ? "no keys are known here" : "known here: " + join(unknown.keys);
}

void DeckReader::finish() {
  require(frames_.size() == 1, "DeckReader::finish inside a group or called twice");
  leave();
  constexpr std::size_t most = 200;  // a hostile deck may have a million
  for (std::size_t i = 0; i < std::min(unknown_.size(), most); ++i) {
    const Unknown& unknown = unknown_[i];
    const std::string group = unknown.group.empty() ? "" : unknown.group + ".";
    fault(unknown.entry->position, group + unknown.entry->key, "unknown key; " + suggestion(unknown));
  }
}

void DeckReader::check() const {
  if (!faults_.empty()) throw DeckError(format(faults_, deck_.file()));
}

bool DeckReader::expect(const Value& value, Kind kind, const std::string& expected) {
  if (value.node.kind == kind) return true;
  if (value.node.kind == Kind::refused) return false;  // the deck has reported it
  const bool null = value.node.kind == Kind::null;
  fault(value, null ? "has no value; expected " + expected : "expected " + expected + ", " + found(value.node));
  return false;
}

// --- Numbers and words -------------------------------------------------------------------------------------------

bool DeckReader::read_number(const Value& value, const std::string& expected, const Bounds& bounds, double& number) {
  if (!expect(value, Kind::scalar, expected)) return false;
  std::string reason;
  const std::optional<double> read = halocline::read_number(one_line(value.node.text), reason);
  const std::string shown = quoted(value.node.text);
  if (!read) {
    fault(value, shown + " is no number (" + reason + "); expected " + expected);
  } else if (!std::isfinite(*read)) {
    fault(value, shown + " is not finite; expected " + expected);
  } else if (!within(*read, bounds)) {
    fault(value, shown + " is out of bounds; expected " + expected);
  } else {
    number = *read;
    return true;
  }
  return false;
}

bool DeckReader::read_integer(const Value& value, const std::string& expected, const Bounds& bounds, Index& number) {
  double real = 0;
  if (!read_number(value, expected, bounds, real)) return false;
  const std::string& text = value.node.text;
  // Plain digits keep all of 64 bits.
  if (text.find_first_not_of("0123456789") == std::string::npos) {
    const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
    if (result.ec == std::errc()) return true;
  }
  constexpr double exact = 9007199254740992.0;  // 2^53
  if (std::abs(real) <= exact && real == std::floor(real)) {
    number = static_cast<Index>(real);
    return true;
  }
  const bool large = std::abs(real) > exact;
  fault(value, quoted(text) + (large ? " is too large" : " is no integer") + "; expected " + expected);
  return false;
}

bool DeckReader::read_word(const Value& value, std::span<const std::string> words, int& number) {
  if (!expect(value, Kind::scalar, "one of " + join(words))) return false;
  const auto at = std::find(words.begin(), words.end(), value.node.text);
  if (at == words.end()) {
    fault(value, quoted(value.node.text) + " is not known; " + did_you_mean(value.node.text, words) + one_of(words));
    return false;
  }
  number = static_cast<int>(at - words.begin());
  return true;
}

bool DeckReader::item(const Key& key, double& value, const Bounds& bounds) {
  const std::string expected = expected_number("a number", key, bounds);
  const DeckEntry* entry = take(key, expected);
  if (entry != nullptr) read_number(value_of(*entry), expected, bounds, value);
  return entry != nullptr;
}

bool DeckReader::item(const Key& key, Index& value, const Bounds& bounds) {
  const std::string expected = expected_number("an integer", key, bounds);
  const DeckEntry* entry = take(key, expected);
  if (entry != nullptr) read_integer(value_of(*entry), expected, bounds, value);
  return entry != nullptr;
}

bool DeckReader::item(const Key& key, bool& value) {
  const std::string expected = "true or false";
  const DeckEntry* entry = take(key, expected);
  if (entry == nullptr || !expect(value_of(*entry), Kind::scalar, expected)) return entry != nullptr;
  const std::string word = lower(entry->value.text);
  if (word == "true" || word == "yes" || word == "on") {
    value = true;
  } else if (word == "false" || word == "no" || word == "off") {
    value = false;
  } else {
    fault(value_of(*entry), "expected true or false, " + found(entry->value));
  }
  return true;
}

bool DeckReader::item(const Key& key, std::string& value) {
  const std::string expected = "a text";
  const DeckEntry* entry = take(key, expected);
  if (entry != nullptr && expect(value_of(*entry), Kind::scalar, expected)) value = entry->value.text;
  return entry != nullptr;
}

bool DeckReader::choice(const Key& key, int& value, std::span<const char* const> names) {
  const std::vector<std::string> words = to_strings(names);
  const DeckEntry* entry = take(key, "one of " + join(words));
  if (frames_.size() == 1) {
    for (const std::string& word : words) top_words_.emplace_back(key.name, word);
  }
  if (entry != nullptr) read_word(value_of(*entry), words, value);
  return entry != nullptr;
}

// --- Lists -------------------------------------------------------------------------------------------------------

bool DeckReader::item(const Key& key, std::vector<double>& values, const Bounds& bounds) {
  const std::string expected = expected_number("a list of numbers", key, bounds);
  const DeckEntry* entry = take(key, expected);
  if (entry == nullptr || !expect(value_of(*entry), Kind::list, expected)) return entry != nullptr;
  values.clear();
  for (const Value& member : members(value_of(*entry))) {
    double number = 0;
    if (read_number(member, expected_number("a number", key, bounds), bounds, number)) values.push_back(number);
  }
  return true;
}

bool DeckReader::item(const Key& key, std::vector<std::string>& values) {
  const std::string expected = "a list of texts";
  const DeckEntry* entry = take(key, expected);
  if (entry == nullptr) return false;
  const Value value = value_of(*entry);
  if (value.node.kind == Kind::scalar) {
    values = {value.node.text};
  } else if (expect(value, Kind::list, expected)) {
    values.clear();
    for (const Value& member : members(value)) {
      if (expect(member, Kind::scalar, "a text")) values.push_back(member.node.text);
    }
  }
  return true;
}

bool DeckReader::item(const Key& key, std::vector<std::vector<double>>& rows, int columns) {
  const std::string count = columns > 0 ? std::to_string(columns) + " " : "";
  const std::string row_expected = "a list of " + count + "numbers";
  const std::string expected = "a list of lists of " + count + "numbers" + (columns > 0 ? " each" : "");
  const DeckEntry* entry = take(key, expected);
  if (entry == nullptr || !expect(value_of(*entry), Kind::list, expected)) return entry != nullptr;
  rows.clear();
  for (const Value& row : members(value_of(*entry))) {
    if (!expect(row, Kind::list, row_expected)) continue;
    if (columns > 0 && row.node.items.size() != static_cast<std::size_t>(columns)) {
      fault(row, "expected " + row_expected + ", found " + std::to_string(row.node.items.size()));
      continue;
    }
    rows.emplace_back();
    for (const Value& member : members(row)) {
      double number = 0;
      read_number(member, expected_number("a number", key, {}), {}, number);
      rows.back().push_back(number);
    }
  }
  return true;
}

bool DeckReader::item(const Key& key, NamedNumbers& value, std::span<const char* const> names, const Bounds& bounds) {
  const std::string one = expected_number("a number", key, bounds);
  const std::string expected = one + ", or a map of names to numbers";
  const std::vector<std::string> known = to_strings(names);
  const DeckEntry* entry = take(key, expected);
  if (entry == nullptr) return false;
  const Value given = value_of(*entry);
  double number = 0;
  if (given.node.kind == Kind::scalar) {
    if (read_number(given, one, bounds, number)) value.entries = {{"", number}};
    return true;
  }
  if (!expect(given, Kind::map, expected)) return true;
  value.entries.clear();
  for (const DeckEntry& named : given.node.entries) {
    const std::string path = given.path + "." + named.key;
    if (!known.empty() && std::find(known.begin(), known.end(), named.key) == known.end()) {
      fault(named.position, path, "unknown name; " + did_you_mean(named.key, known) + one_of(known));
      continue;
    }
    const bool scalar = named.value.kind == Kind::scalar;
    const Value member{named.value, scalar ? named.value.position : named.position, path};
    if (read_number(member, one, bounds, number)) value.entries.emplace_back(named.key, number);
  }
  return true;
}

bool DeckReader::subset(const Key& key, std::vector<std::string>& values, std::span<const char* const> words) {
  const std::vector<std::string> known = to_strings(words);
  const std::string expected = "a list of words among " + join(known);
  const DeckEntry* entry = take(key, expected);
  if (entry == nullptr) return false;
  const Value given = value_of(*entry);
  if (known.empty()) {
    fault(given, "names nothing that is there with this deck; leave it out");
    return true;
  }
  const bool single = given.node.kind == Kind::scalar;
  if (!single && !expect(given, Kind::list, expected)) return true;
  values.clear();
  for (const Value& member : single ? std::vector<Value>{given} : members(given)) {
    int number = 0;
    if (!read_word(member, known, number)) continue;
    const std::string& word = member.node.text;
    if (std::find(values.begin(), values.end(), word) != values.end()) {
      fault(member, quoted(word) + " is named twice; keep one");
      continue;
    }
    values.push_back(word);
  }
  return true;
}

}  // namespace halocline
