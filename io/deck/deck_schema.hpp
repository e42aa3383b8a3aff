// deck_schema: what a set of options can tell about itself without a deck (help, JSON Schema), and the resolved deck,
// which writes every value so that reading it again gives the same options.
//
// All three are Describers: describe the options to one, then take its text.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "io/deck/deck.hpp"
#include "lib/base/describe.hpp"

namespace halocline {

// Text for `explain`: each key's path, kind with unit and bounds, default, and help; lines of at most 100 characters
// (words longer than that excepted). Defaults are the values the options have when described.
class DeckExplainer : public Describer {
 public:
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

  // Of all keys, or of that with the path `below` and those under it. DeckError where there is none.
  std::string text(const std::string& below = "") const;

 private:
  struct Row {
    std::string path, kind, fallback, help;
  };
  bool add(const Key& key, std::string kind, std::string fallback, const std::string& words = "");
  std::vector<Row> rows_below(const std::string& path) const;

  std::string prefix_;
  std::vector<Row> rows_;
};

// JSON Schema, draft 2020-12, with all defaults and bounds. Numbers may also be texts, since "2/3" is a number.
class DeckSchema : public Describer {
 public:
  // `title` names the schema, as "halocline deck: collocation".
  explicit DeckSchema(const std::string& title);
  ~DeckSchema() override;

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

  std::string text() const;

 private:
  struct Json;
  std::unique_ptr<Json> json_;
};

// The resolved deck: every key with its value. What the deck leaves out is written as comments, because giving it
// could mean something else than leaving it out, or be a fault. Input paths (formulas() of the unit "path") become
// absolute. So the text can be read wherever it lies, and is its own resolved deck.
class DeckEcho : public Describer {
 public:
  // `deck` is what the options were read from; it tells which keys were given.
  explicit DeckEcho(const Deck& deck) : deck_(deck) {}

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

  const std::string& text() const { return text_; }

 private:
  bool add(const Key& key, const std::string& value, bool readable);

  const Deck& deck_;
  std::string prefix_;  // path of the group, with a dot at the end
  std::string indent_;
  bool in_given_block_ = true;  // all of another is commented out
  std::string text_;
};

}  // namespace halocline
