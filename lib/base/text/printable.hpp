// Texts of others (names of files, values of decks and tables) on their way to a terminal, which obeys control
// characters, or to files that are UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace halocline {

/// Bytes of the UTF-8 sequence at `at`; 0 when it is none (overlong forms, surrogates, and what lies beyond U+10FFFF).
std::size_t utf8_length(std::string_view text, std::size_t at);

/// Where the first byte stands that belongs to no UTF-8 text or to a control character, of C1 too, other than a line
/// end or a tab; the size of the text when there is none.
std::size_t first_unprintable(std::string_view text);

/// The text with such bytes as \xNN.
std::string printable(std::string_view text);

}  // namespace halocline
