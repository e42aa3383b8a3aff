// The font of diagrams: 5 x 7 pixels per letter, for printable ASCII.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace halocline {

inline constexpr int glyph_width = 5, glyph_height = 7;

// Seven rows, the top one first; the lowest five bits, the left pixel in the highest of them. A frame for what the
// font does not have.
std::array<std::uint8_t, 7> glyph(char letter);

}  // namespace halocline
