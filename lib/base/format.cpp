#include "lib/base/format.hpp"

#include <array>
#include <charconv>

namespace halocline {

std::string brief_text(double value) { return formatted("{:.6g}", value); }

std::string exact_text(double value) { return formatted("{:.17g}", value); }

// Not "{}" of fmt, which writes 1e16 as 1e+16 and 100000 in full where this takes whatever is shorter.
std::string shortest_text(double value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

}  // namespace halocline
