// Every key of every family counts when a run is continued, unless it is among those that may change: each is changed
// by itself, in options whose lists have a block each, and the fingerprint must tell.
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "io/deck/deck_fingerprint.hpp"
#include "lib/problems/problem.hpp"
#include "lib/problems/restart_keys.hpp"

namespace halocline {
namespace {

// Changes key number `at`; -1: none, and counts them.
class Changer final : public Describer {
 public:
  explicit Changer(int at) : at_(at) {}
  int count = 0;
  std::string path;  // of the key that was changed

  bool item(const Key& key, double& value, const Bounds&) override {
    return leaf(key.name, [&] { value = value > -1e300 && value < 1e300 ? value + 1 : 1; });
  }
  bool item(const Key& key, Index& value, const Bounds&) override {
    return leaf(key.name, [&] { ++value; });
  }
  bool item(const Key& key, bool& value) override {
    return leaf(key.name, [&] { value = !value; });
  }
  bool item(const Key& key, std::string& value) override {
    return leaf(key.name, [&] { value += "x"; });
  }
  bool item(const Key& key, std::vector<double>& values, const Bounds&) override {
    return leaf(key.name, [&] { values.push_back(1); });
  }
  bool item(const Key& key, std::vector<std::string>& values) override {
    return leaf(key.name, [&] { values.emplace_back("x"); });
  }
  bool item(const Key& key, std::vector<std::vector<double>>& rows, int) override {
    return leaf(key.name, [&] { rows.push_back({1}); });
  }
  bool item(const Key& key, NamedNumbers& value, std::span<const char* const>, const Bounds&) override {
    return leaf(key.name, [&] { value.entries.emplace_back("x", 1); });
  }
  bool subset(const Key& key, std::vector<std::string>& values, std::span<const char* const>) override {
    return item(key, values);
  }
  bool formula(const Key& key, Formula& value, std::span<const char* const>) override {
    return leaf(key.name, [&] { value.text += "1"; });
  }
  void definitions(Definitions& value, std::span<const char* const>) override {
    leaf("constants.a", [&] { value.constants.push_back({"a", {"1", {}}}); });
    leaf("definitions[0]", [&] { value.definitions.push_back({"b = 1", {}}); });
  }
  bool formulas(const Key& key, std::vector<NamedFormula>& values) override {
    const bool file = std::string(key.unit) == "path";  // which counts by what is in it
    if (file) return false;
    return leaf(std::string(key.name) + ".a", [&] { values.push_back({"a", {"1", {}}}); });
  }
  bool choice(const Key& key, int& value, std::span<const char* const> names) override {
    if (names.size() < 2) return false;
    return leaf(key.name, [&] { value = (value + 1) % static_cast<int>(names.size()); });
  }
  bool group(const Key& key, Options& options) override { return below(key.name, options); }
  bool groups(const Key& key, OptionsList& list) override {
    if (list.size() == 0) list.add();
    return below(std::string(key.name) + "[0]", list.at(0));
  }
  bool groups(const Key& key, OptionsList& list, std::vector<std::string>& names) override {
    if (list.size() == 0) {
      list.add();
      names = {"one"};
    }
    return below(std::string(key.name) + ".one", list.at(0));
  }
  bool word_or_group(const Key& key, int& word, std::span<const char* const> names, Options& options) override {
    if (names.size() < 2) return word < 0 && group(key, options);
    const bool changed = leaf(key.name, [&] { word = word + 1 < static_cast<int>(names.size()) ? word + 1 : 0; });
    if (word < 0) group(key, options);
    return changed;
  }

 private:
  bool leaf(const std::string& name, const std::function<void()>& change) {
    if (count++ != at_) return false;
    change();
    path = prefix_ + name;
    return true;  // as a deck that gives it
  }
  bool below(const std::string& name, Options& options) {
    const std::string outer = prefix_;
    prefix_ += name + ".";
    const int before = count;
    options.describe(*this);
    prefix_ = outer;
    return at_ >= before && at_ < count;
  }

  int at_;
  std::string prefix_;
};

bool is_free(const std::string& path, std::span<const char* const> free) {
  for (const std::string one : free)
    if (path == one || path.starts_with(one + ".")) return true;
  return false;
}

// The keys that were changed one by one.
std::set<std::string> change_all(const Family& family) {
  const Deck deck("problem: " + std::string(family.name) + "\n", "deck.yaml");
  const auto free = keys_free_on_restart(family.name);
  std::set<std::string> changed;
  for (int at = 0;; ++at) {
    const auto options = family.options();
    Changer none(-1), one(at);
    options->describe(none);
    const Fingerprint before = fingerprint_of(deck, *options, free);
    options->describe(one);
    if (at >= one.count) return changed;
    const Fingerprint after = fingerprint_of(deck, *options, free);
    const auto old = before.keys.find(one.path), found = after.keys.find(one.path);
    if (found == after.keys.end()) {
      ADD_FAILURE() << one.path << " is not in the fingerprint";
      continue;
    }
    EXPECT_TRUE(old == before.keys.end() || old->second.text != found->second.text) << one.path;
    EXPECT_EQ(found->second.may_change, is_free(one.path, free)) << one.path;
    EXPECT_NE(differences(before, after, found->second.may_change), "") << one.path;
    changed.insert(one.path);
  }
}

TEST(Fingerprint, KnowsEveryKeyOfEveryFamily) {
  std::size_t keys = 0;
  for (const Family& family : families()) {
    const std::set<std::string> changed = change_all(family);
    keys += changed.size();
    // What may change are keys that there are.
    for (const std::string free : keys_free_on_restart(family.name)) {
      const auto first = changed.lower_bound(free);
      EXPECT_TRUE(first != changed.end() && first->starts_with(free)) << free;
    }
  }
  EXPECT_GT(keys, 400u);
}

TEST(Fingerprint, SaysWhatDiffers) {
  const auto made = [](const std::string& a, const std::string& b) {
    Fingerprint one;
    one.keys["f.a"] = {a};
    one.keys["f.end"] = {b, true};
    return one;
  };
  const Fingerprint one = made("1", "2"), other = made("3", "4");
  EXPECT_EQ(differences(one, read_fingerprint(one.text()), false), "");
  EXPECT_EQ(differences(one, other, false), "f.a was 1 and is 3 now");
  EXPECT_EQ(differences(one, other, true), "f.end was 2 and is 4 now");
  Fingerprint without = one;
  without.keys.erase("f.a");
  EXPECT_EQ(differences(one, without, false), "f.a was 1 and is not given now");
  EXPECT_EQ(differences(without, one, false), "f.a was not given and is 1 now");
  Fingerprint many = one;
  for (const char* name : {"f.b", "f.c", "f.d", "f.e"}) many.keys[name] = {"5"};
  EXPECT_TRUE(differences(one, many, false).ends_with(", and 1 more"));
}

}  // namespace
}  // namespace halocline
