// How a set of options describes its keys, once, for the deck reader, `explain`, `schema` and the resolved deck.
//
// An Options struct holds plain members with their defaults and names them in describe(). The Describer behind the call
// decides what happens: reading from a deck (with checks), printing help, or echoing the values.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/base/types.hpp"
#include "lib/base/words.hpp"

namespace halocline {

// One key of a deck. `unit` is "" or "1" for pure numbers; `help` is one sentence.
struct Key {
  const char* name;
  const char* unit;
  const char* help;
  bool required = false;
};

// Admissible values of a number: low <= value <= high, or strict where `open_*` is set.
struct Bounds {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool open_low = false;
  bool open_high = false;
  static Bounds positive() { return {0, std::numeric_limits<double>::infinity(), true, false}; }
  static Bounds at_least(double low) { return {low, std::numeric_limits<double>::infinity(), false, false}; }
  static Bounds between(double low, double high) { return {low, high, false, false}; }
};

// Text of a formula and where it stands. Empty when the deck does not give it.
struct Formula {
  std::string text;
  Place place;
  bool given() const { return !text.empty(); }
};

// A number for every name ("" stands for all names): `max_error: 1e-9` or `max_error: {u: 1e-9, u_x: 1e-7}`.
struct NamedNumbers {
  std::vector<std::pair<std::string, double>> entries;
  bool given() const { return !entries.empty(); }
  // The number of `name`, else that of all names, else `otherwise`.
  double of(std::string_view name, double otherwise) const {
    double found = otherwise;
    for (const auto& [key, value] : entries) {
      if (key == name) return value;
      if (key.empty()) found = value;
    }
    return found;
  }
};

struct Raster;

// A name that stands for what a file has at a place (lib/expression/raster.hpp).
struct DataName {
  std::string name;
  std::shared_ptr<const Raster> raster = nullptr;  // null: not read yet, formulas can be checked
};

// Names a family's formulas share: `constants` (map of name to constant formula) and `definitions` ("name = expr").
struct Definitions {
  std::vector<std::pair<std::string, Formula>> constants;
  std::vector<Formula> definitions;  // whole texts "name = expr"
  std::vector<DataName> data;        // functions of the first two or three variables
};

// A formula with a name beside it: `x1: 10`, or "" for the name where the text itself tells.
struct NamedFormula {
  std::string name;
  Formula formula;
};

class Describer;

struct Options {
  virtual ~Options() = default;
  virtual void describe(Describer& d) = 0;
  // The same problem on a grid `factor` times as fine in every direction; serves `study`.
  virtual void refine(int /*factor*/) { throw DeckError("this family cannot be refined by `study`"); }
};

// Blocks of one kind in a list: `x_min: [{from: 0, to: 1, kind: dirichlet}]`. See ListOf.
struct OptionsList {
  virtual ~OptionsList() = default;
  virtual Index size() const = 0;
  virtual Options& at(Index number) = 0;
  virtual Options& add() = 0;                           // one more, with its defaults
  virtual std::unique_ptr<Options> sample() const = 0;  // one with its defaults, outside the list
};

template <class T>
struct ListOf final : OptionsList {
  std::vector<T> blocks;
  Index size() const override { return static_cast<Index>(blocks.size()); }
  Options& at(Index number) override { return blocks[static_cast<std::size_t>(number)]; }
  Options& add() override { return blocks.emplace_back(); }
  std::unique_ptr<Options> sample() const override { return std::make_unique<T>(); }
};

// Every call names a key, gives the member it fills, and returns true when the deck gives the key.
// The member's value at the time of the call is the default; required keys have none.
class Describer {
 public:
  virtual ~Describer() = default;
  virtual bool item(const Key& key, double& value, const Bounds& bounds) = 0;
  virtual bool item(const Key& key, Index& value, const Bounds& bounds) = 0;
  virtual bool item(const Key& key, bool& value) = 0;
  virtual bool item(const Key& key, std::string& value) = 0;
  virtual bool item(const Key& key, std::vector<double>& values, const Bounds& bounds) = 0;
  virtual bool item(const Key& key, std::vector<std::string>& values) = 0;  // a list, or one string
  // A list of points, say; columns 0: rows of any length.
  virtual bool item(const Key& key, std::vector<std::vector<double>>& rows, int columns) = 0;
  virtual bool item(const Key& key, NamedNumbers& value, std::span<const char* const> names, const Bounds& bounds) = 0;
  // The words among `words` that the list names (checked, with the nearest word suggested).
  virtual bool subset(const Key& key, std::vector<std::string>& values, std::span<const char* const> words) = 0;
  // A formula in `variables` and the names given to definitions() before; the reader checks it.
  virtual bool formula(const Key& key, Formula& value, std::span<const char* const> variables) = 0;
  // The keys `constants` and `definitions`; the names are known to every formula described afterwards.
  virtual void definitions(Definitions& value, std::span<const char* const> variables) = 0;
  // Formulas in a list (names ""), a map of free names, or a single one. They are not checked: the family does this in
  // its plan, once it knows all names, and reports faults by Faults::at(formula, character, message).
  virtual bool formulas(const Key& key, std::vector<NamedFormula>& values) = 0;
  // One word out of `names`, which are known at run time only; value is its index. Enums: see below.
  virtual bool choice(const Key& key, int& value, std::span<const char* const> names) = 0;
  virtual bool group(const Key& key, Options& options) = 0;
  // A list of blocks, or a single one.
  virtual bool groups(const Key& key, OptionsList& list) = 0;
  // A map of free names to blocks; the name of each block goes into `names`.
  virtual bool groups(const Key& key, OptionsList& list, std::vector<std::string>& names) = 0;
  // One word out of `names`, or a block, for which `word` becomes -1.
  virtual bool word_or_group(const Key& key, int& word, std::span<const char* const> names, Options& options) = 0;

  // One word out of those of an enum (lib/base/words.hpp).
  template <class Enum>
  requires std::is_enum_v<Enum>
  bool choice(const Key& key, Enum& value) {
    static constexpr auto names = texts_of<Enum>();
    int place = place_of(value);
    const bool given = choice(key, place, names);
    if (place >= 0) value = words_of(Enum{})[static_cast<std::size_t>(place)].value;
    return given;
  }
  // The same, or a block in place of the word, for which there is no value.
  template <class Enum>
  requires std::is_enum_v<Enum>
  bool word_or_group(const Key& key, std::optional<Enum>& value, Options& options) {
    static constexpr auto names = texts_of<Enum>();
    int place = value ? place_of(*value) : -1;
    const bool given = word_or_group(key, place, names, options);
    if (place < 0)
      value.reset();
    else
      value = words_of(Enum{})[static_cast<std::size_t>(place)].value;
    return given;
  }

  bool item(const Key& key, double& value) { return item(key, value, Bounds{}); }
  bool item(const Key& key, Index& value) { return item(key, value, Bounds{}); }
  bool item(const Key& key, std::vector<double>& values) { return item(key, values, Bounds{}); }
};

// Collects faults that concern several keys. `path` is the key's place in the deck: "collocation.mesh.x.elements".
class Faults {
 public:
  virtual ~Faults() = default;
  virtual void at(std::string_view path, const std::string& message) = 0;
  virtual void at(const Place& place, const std::string& message) = 0;
  // At character number `character` of a formula read by Describer::formulas, also across folded lines.
  virtual void at(const Formula& formula, std::size_t character, const std::string& message) {
    Place place = formula.place;
    place.column += static_cast<int>(character);
    at(place, message);
  }
};

// For options that are known to be right: the first fault is thrown as a DeckError.
class ThrownFaults final : public Faults {
 public:
  using Faults::at;
  void at(std::string_view path, const std::string& message) override {
    throw DeckError(std::string(path) + ": " + message);
  }
  void at(const Place& place, const std::string& message) override {
    throw DeckError(to_string(place) + ": " + message);
  }
};

}  // namespace halocline
