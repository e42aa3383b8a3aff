#include "io/deck/wording.hpp"

#include <cmath>

#include "lib/base/format.hpp"

namespace halocline {

bool within(double value, const Bounds& bounds) {
  const bool above = bounds.open_low ? value > bounds.low : value >= bounds.low;
  const bool below = bounds.open_high ? value < bounds.high : value <= bounds.high;
  return above && below;
}

std::string bounds_text(const Bounds& bounds) {
  std::string text;
  if (std::isfinite(bounds.low)) text = (bounds.open_low ? "> " : ">= ") + shortest_text(bounds.low);
  if (std::isfinite(bounds.high)) {
    text += (text.empty() ? "" : " and ") + std::string(bounds.open_high ? "< " : "<= ") + shortest_text(bounds.high);
  }
  return text;
}

std::string expected_number(std::string_view noun, const Key& key, const Bounds& bounds) {
  const std::string_view unit = key.unit;
  std::string text(noun);
  if (!unit.empty() && unit != "1") text += " in " + std::string(unit);
  const std::string limits = bounds_text(bounds);
  return limits.empty() ? text : text + ", " + limits;
}

std::string join(std::span<const std::string> words, std::string_view separator) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += separator;
    text += word;
  }
  return text;
}

std::string bracketed(std::span<const std::string> words, std::string_view pair) {
  std::string text(1, pair[0]);
  text += join(words);
  return text += pair[1];
}

std::vector<std::string> to_strings(std::span<const char* const> words) { return {words.begin(), words.end()}; }

std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string shown(text.substr(0, longest));
  // Never half a character of UTF-8.
  while (text.size() > longest && !shown.empty() && (text[shown.size()] & 0xC0) == 0x80) shown.pop_back();
  for (char& c : shown) {
    if (c == '\n') c = ' ';
  }
  return "'" + shown + (text.size() > longest ? "...'" : "'");
}

std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return text;
}

}  // namespace halocline
