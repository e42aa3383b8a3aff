#include "io/deck/deck_fingerprint.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "io/deck/wording.hpp"
#include "lib/base/digest.hpp"
#include "lib/base/format.hpp"

namespace halocline {
namespace {

constexpr std::size_t longest_text = 100;  // that is kept as it is
constexpr const char* made_from_exact = "manufactured";

std::string shortened(const std::string& text) {
  if (text.size() <= longest_text && text.find_first_of("\n\t") == std::string::npos) return text;
  return formatted("{} characters with digest {}", text.size(), digest(text));
}

class Collector final : public Describer {
 public:
  Collector(const Deck& deck, Fingerprint& made) : deck_(deck), keys_(made.keys) {}

  bool item(const Key& key, double& value, const Bounds&) override { return add(key, shortest_text(value)); }
  bool item(const Key& key, Index& value, const Bounds&) override { return add(key, std::to_string(value)); }
  bool item(const Key& key, bool& value) override { return add(key, value ? "true" : "false"); }
  bool item(const Key& key, std::string& value) override { return add(key, value); }
  bool item(const Key& key, std::vector<double>& values, const Bounds&) override { return add(key, list(values)); }
  bool item(const Key& key, std::vector<std::string>& values) override { return add(key, bracketed(values)); }
  bool item(const Key& key, std::vector<std::vector<double>>& rows, int) override {
    std::vector<std::string> all;
    for (const std::vector<double>& row : rows) all.push_back(list(row));
    return add(key, bracketed(all));
  }
  bool item(const Key& key, NamedNumbers& value, std::span<const char* const>, const Bounds&) override {
    std::vector<std::string> all;
    for (const auto& [name, number] : value.entries)
      all.push_back((name.empty() ? "" : name + ": ") + shortest_text(number));
    return add(key, bracketed(all, "{}"));
  }
  bool subset(const Key& key, std::vector<std::string>& values, std::span<const char* const>) override {
    return item(key, values);
  }
  bool formula(const Key& key, Formula& value, std::span<const char* const>) override { return add(key, value.text); }
  void definitions(Definitions& value, std::span<const char* const>) override {
    for (const auto& [name, formula] : value.constants) put(prefix_ + "constants." + name, formula.text);
    for (std::size_t n = 0; n < value.definitions.size(); ++n)
      put(prefix_ + "definitions" + number(n), value.definitions[n].text);
  }
  bool formulas(const Key& key, std::vector<NamedFormula>& values) override {
    const std::string path = prefix_ + key.name;
    for (std::size_t n = 0; n < values.size(); ++n) {
      const auto& [name, formula] = values[n];
      if (names_file(key))
        keys_[path].file = file_of(formula);
      else
        put(path + (name.empty() ? number(n) : "." + name), formula.text);
    }
    return deck_.has(path);
  }
  bool choice(const Key& key, int& value, std::span<const char* const> names) override {
    const bool valid = value >= 0 && value < static_cast<int>(names.size());
    return add(key, valid ? names[static_cast<std::size_t>(value)] : "");
  }
  bool group(const Key& key, Options& options) override {
    below(key.name, key.name, [&] { options.describe(*this); });
    return deck_.has(prefix_ + key.name);
  }
  bool groups(const Key& key, OptionsList& list) override {
    const std::string name = key.name;
    const bool listed = deck_.has(place_ + name + "[0]");
    for (Index n = 0; n < list.size(); ++n) {
      const std::string one = name + number(static_cast<std::size_t>(n));
      below(one, listed ? one : name, [&] { list.at(n).describe(*this); });
    }
    return list.size() > 0;
  }
  bool groups(const Key& key, OptionsList& list, std::vector<std::string>& names) override {
    for (Index n = 0; n < list.size(); ++n) {
      const std::string one = key.name + ("." + names[static_cast<std::size_t>(n)]);
      below(one, one, [&] { list.at(n).describe(*this); });
    }
    return list.size() > 0;
  }
  bool word_or_group(const Key& key, int& word, std::span<const char* const> names, Options& options) override {
    return word >= 0 ? choice(key, word, names) : group(key, options);
  }

 private:
  static std::string number(std::size_t n) { return "[" + std::to_string(n) + "]"; }
  static std::string list(const std::vector<double>& values) {
    std::vector<std::string> all;
    for (const double value : values) all.push_back(shortest_text(value));
    return bracketed(all);
  }
  // Relative to the deck, or to the working directory in an override.
  static std::string file_of(const Formula& name) {
    return (std::filesystem::path(name.place.file).parent_path() / name.text).string();
  }
  void put(const std::string& path, const std::string& text) { keys_[path].text = shortened(text); }
  bool add(const Key& key, const std::string& text) {
    put(prefix_ + key.name, text);
    return deck_.has(place_ + key.name);
  }
  template <class Describe>
  void below(const std::string& path, const std::string& place, Describe describe) {
    const std::string outer = prefix_, outer_place = place_;
    prefix_ += path + ".";
    place_ += place + ".";
    describe();
    prefix_ = outer;
    place_ = outer_place;
  }

  const Deck& deck_;
  std::map<std::string, Fingerprint::Value>& keys_;
  std::string prefix_, place_;  // of the keys, and in the deck, where a block may stand in place of a list of one
};

bool is_below(const std::string& path, std::string_view above) {
  return path.starts_with(above) &&
         (path.size() == above.size() || path[above.size()] == '.' || path[above.size()] == '[');
}

}  // namespace

Fingerprint fingerprint_of(const Deck& deck, Options& options, std::span<const char* const> free) {
  Fingerprint made;
  Collector collector(deck, made);
  options.describe(collector);
  const bool manufactured = std::any_of(made.keys.begin(), made.keys.end(),
                                        [](const auto& key) { return key.second.text == made_from_exact; });
  for (auto& [path, value] : made.keys) {
    const auto frees = [&path = path](const char* one) { return is_below(path, one); };
    value.may_change = std::any_of(free.begin(), free.end(), frees) && !(manufactured && path == "verify.exact");
  }
  return made;
}

}  // namespace halocline
