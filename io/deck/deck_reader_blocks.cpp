// The part of DeckReader that reads blocks and lists of blocks.
#include "io/deck/deck_reader.hpp"

namespace halocline {

namespace {
using Kind = DeckNode::Kind;
}  // namespace

bool DeckReader::group(const Key& key, Options& options) {
  const DeckEntry* entry = find(key);
  const std::string path = path_of(key.name);
  const Frame& frame = frames_.back();
  if (entry == nullptr) {
    if (key.required && frame.map != nullptr) {
      fault(frame.position, path, std::string("missing; expected a block: ") + key.help);
    }
    describe(options, {nullptr, frame.position, path, {}});
    return false;
  }
  return describe_block(value_of(*entry), options);
}

// A block whose lines are all commented out is an empty one.
bool DeckReader::describe_block(const Value& value, Options& options) {
  const bool usable = value.node.kind == Kind::map || value.node.kind == Kind::null;
  if (!usable) expect(value, Kind::map, "a block of keys");
  describe(options, {usable ? &value.node : nullptr, value.position, value.path, {}});
  return true;
}

bool DeckReader::groups(const Key& key, OptionsList& list) {
  const DeckEntry* entry = take(key, "a list of blocks");
  const std::string path = path_of(key.name);
  if (entry == nullptr) {
    describe(*list.sample(), {nullptr, frames_.back().position, path, {}});
    return false;
  }
  const Value value = value_of(*entry);
  if (value.node.kind != Kind::list) return describe_block(value, list.add());
  for (const Value& member : members(value)) describe_block(member, list.add());
  return true;
}

bool DeckReader::groups(const Key& key, OptionsList& list, std::vector<std::string>& names) {
  const std::string expected = "a map of names to blocks";
  const DeckEntry* entry = take(key, expected);
  if (entry == nullptr || !expect(value_of(*entry), Kind::map, expected)) {
    describe(*list.sample(), {nullptr, frames_.back().position, path_of(key.name), {}});
    return entry != nullptr;
  }
  const Value value = value_of(*entry);
  std::size_t number = 0;
  for (const Value& member : members(value)) {
    names.push_back(value.node.entries[number++].key);
    describe_block(member, list.add());
  }
  return true;
}

bool DeckReader::word_or_group(const Key& key, int& word, std::span<const char* const> names, Options& options) {
  const Frame& frame = frames_.back();
  const DeckEntry* entry = frame.map == nullptr ? nullptr : frame.map->find(key.name);
  if (entry == nullptr || entry->value.kind == Kind::scalar) return choice(key, word, names);
  word = -1;
  return group(key, options);
}

}  // namespace halocline
