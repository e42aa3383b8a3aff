// Lines of a text. Streams take memory that is not there for the end of the text, and say nothing; this tells.
#pragma once

#include <string_view>

namespace halocline {

// take(line) for every line, without its end.
template <class Take>
void for_each_line(std::string_view text, const Take& take) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    take(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

}  // namespace halocline
