#include "io/deck/deck.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "io/deck/yaml_tree.hpp"

namespace halocline {
namespace {

using Kind = DeckNode::Kind;

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// Splits off the first step of "a.b[2].c": a key, or an index "[2]".
std::string_view next_step(std::string_view& path) {
  if (!path.empty() && path.front() == '.') path.remove_prefix(1);
  std::size_t end = path.find_first_of(".[", path.empty() || path.front() != '[' ? 0 : 1);
  const std::string_view step = path.substr(0, end);
  path.remove_prefix(step.size());
  return step;
}

// The index in "[2]", or a number beyond every list.
std::size_t index_of(std::string_view step) {
  std::size_t index = 0;
  for (char c : step.substr(1, step.size() - 2)) {
    if (c < '0' || c > '9' || index > (std::size_t{1} << 40)) return std::size_t(-1);
    index = 10 * index + static_cast<std::size_t>(c - '0');
  }
  return index;
}

std::string without_byte_order_mark(std::string text) {
  return text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text;
}

// The item that "[2]" names of a list that is there.
template <class Refuse>
DeckNode& item_of(DeckNode& list, std::string_view step, const Refuse& refuse) {
  if (step.back() != ']')
    throw refuse("'" + std::string(step) + "': expected the number of an item in brackets, as [0]");
  if (list.kind != DeckNode::Kind::list) throw refuse("there is no list before '" + std::string(step) + "'");
  const std::size_t index = step.size() > 2 && step.back() == ']' ? index_of(step) : std::size_t(-1);
  if (index < list.items.size()) return list.items[index];
  throw refuse("there is no item '" + std::string(step) + "': the list has " + std::to_string(list.items.size()) +
               ", counted from [0]");
}

DeckError only_fault(const Place& place, const std::string& message, const std::string& file) {
  std::vector<Fault> faults(1);
  faults[0].place = place;
  faults[0].message = message;
  return DeckError(format(std::move(faults), file));
}

}  // namespace

const DeckEntry* DeckNode::find(std::string_view key) const {
  for (const DeckEntry& entry : entries) {
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

std::string format(std::vector<Fault> faults, const std::string& file) {
  const auto rank = [&](const Fault& f) { return std::tuple(f.place.file != file, f.place.line, f.place.column); };
  std::stable_sort(faults.begin(), faults.end(), [&](const Fault& a, const Fault& b) { return rank(a) < rank(b); });
  std::vector<std::string> lines;
  for (const Fault& fault : faults) {
    const std::string path = fault.path.empty() ? "" : fault.path + ": ";
    std::string line = to_string(fault.place) + ": " + path + fault.message + "\n";
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
    if (lines.size() > 200) break;  // enough to see what is wrong
  }
  std::string text;
  for (const std::string& line : lines) text += line;
  const std::string count = lines.size() > 200 ? "more than 200" : std::to_string(lines.size());
  return text + count + (lines.size() == 1 ? " fault in " : " faults in ") + file + "; nothing was computed";
}

Deck::Deck(std::string text, std::string file, std::span<const std::string> overrides) {
  texts_.push_back(without_byte_order_mark(std::move(text)));
  names_.push_back(std::move(file));
  try {
    YamlTree tree = read_yaml(texts_.front(), 0);
    root_ = std::move(tree.root);
    for (YamlProblem& p : tree.problems) faults_.push_back({place(p.position), p.path, p.message});
  } catch (const YamlFailure& failure) {
    throw only_fault(place(failure.problem.position), failure.problem.message, this->file());
  }
  if (root_.kind == Kind::null) {
    throw only_fault({this->file(), 0, 0}, "the deck is empty", this->file());
  }
  if (root_.kind != Kind::map) {
    const std::string message = "a deck is a map of keys to values, as in 'problem: collocation'";
    throw only_fault(place(root_.position), message, this->file());
  }
  for (const std::string& override : overrides) apply(override);
}

void Deck::apply(const std::string& override) {
  const std::size_t equals = override.find('=');
  const std::string path = override.substr(0, equals);
  const auto refuse = [&](const std::string& message) { return only_fault({"--set " + path, 0, 0}, message, file()); };
  if (equals == std::string::npos || path.empty()) throw refuse("expected key.path=value");
  if (path.front() == '.' || path.back() == '.' || path.find("..") != std::string::npos)
    throw refuse("expected keys joined by dots, and [0], [1], ... for items of lists");
  const int origin = static_cast<int>(texts_.size());
  texts_.push_back(override.substr(equals + 1));
  names_.push_back("--set " + path);
  YamlTree tree;
  try {
    tree = read_yaml(texts_.back(), origin);
  } catch (const YamlFailure& failure) {
    throw refuse(failure.problem.message + " (in '" + texts_.back() + "')");
  }
  for (YamlProblem& p : tree.problems) faults_.push_back({place(p.position), p.path, p.message});

  DeckNode* node = &root_;
  for (std::string_view rest = path; !rest.empty();) {
    const std::string key(next_step(rest));
    if (key.empty()) throw refuse("expected keys joined by dots, and [0], [1], ... for items of lists");
    if (key.front() == '[') {
      node = &item_of(*node, key, refuse);
      continue;
    }
    if (node->kind == Kind::null) node->kind = Kind::map;
    if (node->kind != Kind::map) throw refuse("there is no map above '" + key + "'");
    if (node->find(key) == nullptr) node->entries.push_back({key, {origin, 0, 0}, {}});
    const auto entry = std::find_if(node->entries.begin(), node->entries.end(),
                                    [&](const DeckEntry& candidate) { return candidate.key == key; });
    if (rest.empty()) entry->position = {origin, 0, 0};
    node = &entry->value;
  }
  *node = std::move(tree.root);
  if (node->kind == Kind::null) node->position = {origin, 0, 0};
}

Place Deck::place(const DeckPosition& position) const {
  const std::string& name = names_[static_cast<std::size_t>(position.origin)];
  // An override is one short line that its name shows already.
  if (position.origin > 0) return {name, 0, 0};
  return {name, position.line, position.column};
}

Place Deck::place(const DeckNode& scalar, std::size_t character) const {
  const std::string& source = texts_[static_cast<std::size_t>(scalar.position.origin)];
  DeckPosition here = scalar.position;
  std::size_t at = scalar.offset;
  const auto step = [&] {
    ++here.column;
    if (source[at++] == '\n') here = {here.origin, here.line + 1, 1};
  };
  const bool quoted = at > 0 && source[at - 1] == '\'';
  // A run of white space in the value stands for one in the source, where lines are folded.
  for (std::size_t i = 0; i < std::min(character, scalar.text.size()) && at < source.size(); ++i) {
    const bool space = is_space(scalar.text[i]);
    const bool run_ends = i + 1 == scalar.text.size() || !is_space(scalar.text[i + 1]);
    if (quoted && source[at] == '\'' && scalar.text[i] == '\'') ++at, ++here.column;  // '' stands for '
    step();
    if (space && run_ends) {
      while (at < source.size() && is_space(source[at])) step();
    }
  }
  return place(here);
}

Place Deck::place(const DeckEntry& entry) const {
  const bool scalar = entry.value.kind == Kind::scalar;
  return place(scalar ? entry.value.position : entry.position);
}

Deck::Found Deck::walk(std::string_view path) const {
  Found found;
  const DeckNode* node = &root_;
  for (std::string_view rest = path; !rest.empty();) {
    const std::string_view step = next_step(rest);
    if (step.starts_with('[')) {
      const std::size_t index = index_of(step);
      if (index >= node->items.size()) return found;
      found.item = node = &node->items[index];
    } else {
      const DeckEntry* entry = node->find(step);
      if (entry == nullptr) return found;
      found = {entry, nullptr, false};
      node = &entry->value;
    }
  }
  found.complete = true;
  return found;
}

Place Deck::place(std::string_view path) const {
  const Found found = walk(path);
  if (found.item != nullptr) return place(found.item->position);
  if (found.entry != nullptr) return place(*found.entry);
  return {file(), 1, 1};
}

bool Deck::has(std::string_view path) const { return walk(path).complete; }

}  // namespace halocline
