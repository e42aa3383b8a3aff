// Marks memory that nobody may touch, for sanitizer builds: blocks that wait to be used again, and gaps between blocks.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace halocline {

inline void forbid([[maybe_unused]] void* start, [[maybe_unused]] std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  __asan_poison_memory_region(start, bytes);
#endif
}
inline void permit([[maybe_unused]] void* start, [[maybe_unused]] std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(start, bytes);
#endif
}

}  // namespace halocline
