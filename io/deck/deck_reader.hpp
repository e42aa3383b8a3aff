// DeckReader: fills options from a deck and collects every fault in one pass.
//
//   Deck deck(text, file, overrides);
//   DeckReader reader(deck);
//   if (reader.choice({"problem", "", "...", true}, family, names)) { options->describe(reader);
//   common.describe(reader); } reader.check();                                    // throws DeckError with all faults
//   family.plan(*options, shape, reader);              // rules across keys
//   reader.check();
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/deck/deck.hpp"
#include "io/deck/formula_scope.hpp"
#include "lib/base/describe.hpp"

namespace halocline {

class DeckReader : public Describer, public Faults {
 public:
  // The deck must outlive the reader.
  explicit DeckReader(const Deck& deck);

  using Describer::item;
  bool item(const Key& key, double& value, const Bounds& bounds) override;
  bool item(const Key& key, Index& value, const Bounds& bounds) override;
  bool item(const Key& key, bool& value) override;
  bool item(const Key& key, std::string& value) override;
  bool item(const Key& key, std::vector<double>& values, const Bounds& bounds) override;
  bool item(const Key& key, std::vector<std::string>& values) override;
  bool item(const Key& key, std::vector<std::vector<double>>& rows, int columns) override;
  bool item(const Key& key, NamedNumbers& value, std::span<const char* const> names, const Bounds& bounds) override;
  bool subset(const Key& key, std::vector<std::string>& values, std::span<const char* const> words) override;
  bool formula(const Key& key, Formula& value, std::span<const char* const> variables) override;
  void definitions(Definitions& value, std::span<const char* const> variables) override;
  bool formulas(const Key& key, std::vector<NamedFormula>& values) override;
  bool choice(const Key& key, int& value, std::span<const char* const> names) override;
  bool group(const Key& key, Options& options) override;
  bool groups(const Key& key, OptionsList& list) override;
  bool groups(const Key& key, OptionsList& list, std::vector<std::string>& names) override;
  bool word_or_group(const Key& key, int& word, std::span<const char* const> names, Options& options) override;

  void at(std::string_view path, const std::string& message) override;
  void at(const Place& place, const std::string& message) override;
  void at(const Formula& formula, std::size_t character, const std::string& message) override;

  // To be called once after everything is described: keys that nobody described become faults.
  void finish();
  // In the order found; format() sorts them.
  const std::vector<Fault>& faults() const { return faults_; }
  // Throws DeckError with all faults collected so far, if any.
  void check() const;

 private:
  // A group being described. `map` is null when the deck does not have the group.
  struct Frame {
    const DeckNode* map = nullptr;
    DeckPosition position;  // of the group's key
    std::string path;
    std::vector<std::string> keys;  // described so far
  };
  // An entry of a group that nobody described.
  struct Unknown {
    const DeckEntry* entry;
    std::string group;
    std::vector<std::string> keys;  // of the group
  };
  // A value, the place to name when it is wrong, and its path.
  struct Value {
    const DeckNode& node;
    DeckPosition position;
    std::string path;
  };
  // A formula of `constants` or `definitions`; its text begins with `prefix` characters that the deck does not have.
  struct Source {
    Value value;
    std::size_t prefix;
  };

  const DeckEntry* take(const Key& key, const std::string& expected);
  const DeckEntry* find(const Key& key);
  Value value_of(const DeckEntry& entry) const;
  std::vector<Value> members(const Value& value) const;
  std::string path_of(std::string_view key) const;
  void fault(const Value& value, const std::string& message);
  void fault(const DeckPosition& position, const std::string& path, const std::string& message);
  void describe(Options& options, Frame frame);
  void leave();
  bool describe_block(const Value& value, Options& options);
  std::string suggestion(const Unknown& unknown) const;
  bool expect(const Value& value, DeckNode::Kind kind, const std::string& expected);
  bool read_number(const Value& value, const std::string& expected, const Bounds& bounds, double& number);
  bool read_integer(const Value& value, const std::string& expected, const Bounds& bounds, Index& number);
  bool read_word(const Value& value, std::span<const std::string> words, int& number);
  void read_constants(Definitions& value, std::vector<Source>& sources);
  void read_definitions(Definitions& value, std::vector<Source>& sources);
  void formula_fault(const Source& source, const TextFault& found);

  const Deck& deck_;
  FormulaScope scope_;
  std::vector<Frame> frames_;
  std::vector<Unknown> unknown_;
  std::vector<std::string> described_;  // paths of all keys
  std::vector<Fault> faults_;
  std::vector<std::pair<Place, Value>> unchecked_;  // formulas that the family checks
  // Words of the choices at the top of the deck, with the choice's key: blocks of other families.
  std::vector<std::pair<std::string, std::string>> top_words_;
};

}  // namespace halocline
