// Deck: a YAML text as a tree of values, each with its place, after the overrides of the command line.
//
// Values stay text: what is a number or a formula is decided by the reader through lib/expression, never by YAML
// typing. The tree is strict: duplicate keys, anchors, aliases, tags, merge keys and keys that are no single word are
// faults.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/error.hpp"

namespace halocline {

// Where a value stands: in the deck's file (origin 0) or in the override number `origin` (counted from 1).
struct DeckPosition {
  int origin = 0;
  int line = 0;
  int column = 0;  // in bytes
};

struct DeckEntry;

struct DeckNode {
  enum class Kind { null, scalar, list, map, refused };  // refused: already reported, to be passed over
  Kind kind = Kind::null;
  DeckPosition position;   // of the first character; inside the quotes, if any
  std::size_t offset = 0;  // of that character in the text of its origin
  std::string text;        // of a scalar
  std::vector<DeckNode> items;
  std::vector<DeckEntry> entries;

  const DeckEntry* find(std::string_view key) const;
};

struct DeckEntry {
  std::string key;
  DeckPosition position;  // of the key
  DeckNode value;
};

struct Fault {
  Place place;
  std::string path;  // "collocation.mesh.x.elements", "" when the fault concerns no key
  std::string message;
};

// One line per fault, "file:line:column: key.path: message", and a last line that counts them. Faults of `file` come
// first, by position; then those of overrides. Repetitions are dropped.
std::string format(std::vector<Fault> faults, const std::string& file);

class Deck {
 public:
  // `overrides` are texts "a.b[2].c=value", applied in order; value is YAML, maps that do not exist are made, items of
  // lists are there.
  // Throws DeckError when the text is no YAML map or an override cannot be applied. `file` serves messages only.
  Deck(std::string text, std::string file, std::span<const std::string> overrides = {});

  const std::string& file() const { return names_.front(); }
  const DeckNode& root() const { return root_; }
  // What was wrong with the text but did not stop reading: duplicate keys, anchors, tags, merge keys.
  const std::vector<Fault>& faults() const { return faults_; }

  Place place(const DeckPosition& position) const;
  // Place of the character number `character` of a scalar's text, also across folded lines.
  Place place(const DeckNode& scalar, std::size_t character) const;
  // Place of an entry: of its value when that is a scalar, of its key otherwise.
  Place place(const DeckEntry& entry) const;
  // Place of "a.b.c" or "a.b[2]", or of its nearest ancestor that exists.
  Place place(std::string_view path) const;
  // True when the deck has the key.
  bool has(std::string_view path) const;

 private:
  struct Found {
    const DeckEntry* entry = nullptr;
    const DeckNode* item = nullptr;  // when the path ends in a list
    bool complete = false;
  };
  Found walk(std::string_view path) const;
  void apply(const std::string& override);

  std::vector<std::string> texts_;  // by origin
  std::vector<std::string> names_;
  DeckNode root_;
  std::vector<Fault> faults_;
};

}  // namespace halocline
