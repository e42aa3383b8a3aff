#include "app/sweep/cases.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "lib/base/error.hpp"
#include "lib/base/format.hpp"
#include "lib/base/text/split_values.hpp"
#include "lib/expression/scope.hpp"

namespace halocline {
namespace {

constexpr Index most_cases = 100000;

DeckError refusal(const std::string& over, const std::string& reason) {
  constexpr std::size_t shown = 80;  // of a list that may be thousands of values long
  return DeckError("halocline: --over " + (over.size() <= shown ? over : over.substr(0, shown) + "...") + ": " +
                   reason + "; as in --over key.path=1,2,3");
}

SweptKey key_of(const std::string& over) {
  const std::size_t equals = over.find('=');
  if (equals == std::string::npos || equals == 0) throw refusal(over, "expected a key and its values");
  SweptKey key{over.substr(0, equals), {}, split_values(over.substr(equals + 1)), {}};
  if (key.path == "output.directory") throw refusal(over, "every case has a directory of its own");
  for (std::size_t v = 0; v < key.values.size(); ++v) {
    const std::string& value = key.values[v];
    if (value.empty()) throw refusal(over, "a value is empty");
    if (std::find(key.values.begin(), key.values.begin() + static_cast<std::ptrdiff_t>(v), value) !=
        key.values.begin() + static_cast<std::ptrdiff_t>(v))
      throw refusal(over, value + " occurs twice");
    std::vector<FormulaFault> faults;
    const std::optional<double> number = parse_number({value, {}}, faults);
    if (!number || !faults.empty()) key.words = true;
    key.numbers.push_back(number.value_or(0));
  }
  if (key.words)
    for (std::size_t v = 0; v < key.numbers.size(); ++v) key.numbers[v] = static_cast<double>(v);
  return key;
}

std::string last_part(const std::string& path) { return path.substr(path.rfind('.') + 1); }

void name_keys(std::vector<SweptKey>& keys) {
  for (SweptKey& key : keys) {
    const auto alike = std::count_if(
        keys.begin(), keys.end(), [&](const SweptKey& other) { return last_part(other.path) == last_part(key.path); });
    key.name = alike > 1 ? key.path : last_part(key.path);
  }
}

}  // namespace

const char* SweptKey::spacing() const {
  if (words || numbers.size() < 2) return "linear";
  const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
  if (*least <= 0) return "linear";
  if (*most >= 100 * *least) return "log";
  if (numbers.size() < 3) return "linear";
  const double ratio = numbers[1] / numbers[0];
  for (std::size_t v = 1; v < numbers.size(); ++v)
    if (std::abs(numbers[v] / numbers[v - 1] - ratio) > 1e-3 * ratio) return "linear";
  return "log";
}

SweepCases::SweepCases(const std::vector<std::string>& over) {
  for (const std::string& text : over) {
    SweptKey key = key_of(text);
    for (const SweptKey& other : keys_)
      if (other.path == key.path) throw refusal(text, "the key is swept already; give its values in one list");
    const auto count = static_cast<Index>(key.values.size());
    if (count > most_cases / size_)
      throw refusal(text, "more than " + std::to_string(most_cases) + " cases, each a run with files of its own");
    size_ *= count;
    keys_.push_back(std::move(key));
  }
  name_keys(keys_);
}

std::size_t SweepCases::place(Index number, std::size_t key) const {
  Index stride = 1;
  for (std::size_t later = key + 1; later < keys_.size(); ++later)
    stride *= static_cast<Index>(keys_[later].values.size());
  return static_cast<std::size_t>(number / stride) % keys_[key].values.size();
}

std::vector<std::string> SweepCases::overrides(Index number) const {
  std::vector<std::string> texts;
  for (std::size_t k = 0; k < keys_.size(); ++k)
    texts.push_back(keys_[k].path + "=" + keys_[k].values[place(number, k)]);
  return texts;
}

std::string SweepCases::label(Index number) const {
  std::string text;
  for (std::size_t k = 0; k < keys_.size(); ++k)
    text += (k > 0 ? ", " : "") + keys_[k].name + "=" + keys_[k].values[place(number, k)];
  return text;
}

std::string SweepCases::folder(Index number) { return formatted("case_{:04}", number + 1); }

}  // namespace halocline
