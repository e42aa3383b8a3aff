// Lists in texts.
#pragma once

#include <string>
#include <vector>

namespace halocline {

// Values of a list, at commas outside of brackets and quotes, without the blanks around them.
std::vector<std::string> split_values(const std::string& text);

}  // namespace halocline
