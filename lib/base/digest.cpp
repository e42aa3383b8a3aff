#include "lib/base/digest.hpp"

#include <cstdint>

#include "lib/base/format.hpp"

namespace halocline {

std::string digest(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return formatted("{:016x}", hash);
}

}  // namespace halocline
