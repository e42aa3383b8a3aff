#include "lib/base/text/printable.hpp"

#include "lib/base/format.hpp"

namespace halocline {

std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return 0;
  }
  const unsigned second = byte(1);
  if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F)) return 0;
  if ((first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F)) return 0;
  return length;
}

namespace {

// Of the character at `at`: its bytes when it may be shown, otherwise 0.
std::size_t shown_length(std::string_view text, std::size_t at) {
  const auto c = static_cast<unsigned char>(text[at]);
  if (c < 0x80) return c == '\n' || c == '\t' || (c >= 0x20 && c != 0x7F) ? 1 : 0;
  const bool c1 = c == 0xC2 && at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) < 0xA0;
  return c1 ? 0 : utf8_length(text, at);
}

}  // namespace

std::size_t first_unprintable(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = shown_length(text, at);
    if (length == 0) break;
    at += length;
  }
  return at;
}

std::string printable(std::string_view text) {
  std::string made;
  while (!text.empty()) {
    const std::size_t good = first_unprintable(text);
    made += text.substr(0, good);
    if (good < text.size())
      made += formatted("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(text[good])));
    text.remove_prefix(good < text.size() ? good + 1 : good);
  }
  return made;
}

}  // namespace halocline
