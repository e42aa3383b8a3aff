// Lines, parts and words of a text. Streams take memory that is not there for the end of the text, and say nothing;
// these tell. What they give lies in the text, which must live on.
#pragma once

#include <algorithm>
#include <charconv>
#include <string_view>

namespace halocline {

// Takes what stands in `text` before the next `end` of a part, or before its own end, from its beginning; false, and
// nothing, when the text is empty.
inline bool next_part(std::string_view& text, std::string_view& part, char end) {
  if (text.empty()) return false;
  part = text.substr(0, text.find(end));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return true;
}

inline bool next_line(std::string_view& text, std::string_view& line) { return next_part(text, line, '\n'); }

// Takes the first word, up to a blank that stays; "" when there is none.
inline std::string_view next_word(std::string_view& text) {
  constexpr std::string_view blanks = " \t\n\v\f\r";
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(blanks));
  text.remove_prefix(word.size());
  return word;
}

// Takes the first word as a number; `number` stays what it is where that is none.
// `base`: of whole ones, if any.
template <class Number, class... Base>
void next_number(std::string_view& text, Number& number, Base... base) {
  const std::string_view word = next_word(text);
  std::from_chars(word.data(), word.data() + word.size(), number, base...);
}

// take(line) for every line, without its end.
template <class Take>
void for_each_line(std::string_view text, const Take& take) {
  for (std::string_view line; next_line(text, line);) take(line);
}

}  // namespace halocline
