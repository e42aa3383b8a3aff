// Digests of texts, by which a restart knows that it continues the same problem.

#pragma once

#include <string>
#include <string_view>

namespace halocline {

/// 16 hexadecimal digits that tell texts apart: FNV-1a with 64 bits (Fowler, Noll, Vo). Against chance, not malice.
std::string digest(std::string_view text);

}  // namespace halocline
