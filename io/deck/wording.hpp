// wording: the phrases that messages, help and schema share.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/describe.hpp"

namespace halocline {

bool within(double value, const Bounds& bounds);

// "> 0 and <= 1", "" without bounds.
std::string bounds_text(const Bounds& bounds);

// "a number in s, > 0" from the noun "a number".
std::string expected_number(std::string_view noun, const Key& key, const Bounds& bounds);

std::string join(std::span<const std::string> words, std::string_view separator = ", ");
std::string bracketed(std::span<const std::string> words, std::string_view pair = "[]");  // "[a, b, c]"
std::vector<std::string> to_strings(std::span<const char* const> words);

// Whether the key's text is the name of a file, which formulas() reads too.
inline bool names_file(const Key& key) { return std::string_view(key.unit) == "path"; }

// The text in single quotes, shortened when it is long.
std::string quoted(std::string_view text);

// The text with line breaks as spaces: formulas are one line for lib/expression, and characters keep their number.
std::string one_line(std::string text);

}  // namespace halocline
