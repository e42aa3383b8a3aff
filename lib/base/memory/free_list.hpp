// FreeList: the free stretches of a range of memory, given out first fit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <new>
#include <optional>

namespace halocline {

class FreeList {
 public:
  explicit FreeList(std::size_t size) { free_.emplace(0, size); }

  // Offset of a stretch that is not free any more; none where no free one is long enough.
  std::optional<std::size_t> take(std::size_t length) {
    const auto hole =
        std::find_if(free_.begin(), free_.end(), [&](const auto& entry) { return entry.second >= length; });
    if (hole == free_.end()) return std::nullopt;
    const auto [offset, space] = *hole;
    if (space > length) free_.emplace_hint(std::next(hole), offset + length, space - length);
    free_.erase(hole);
    return offset;
  }

  // Where memory comes to an end the stretch stays out of use.
  void give_back(std::size_t offset, std::size_t length) noexcept {
    auto next = free_.lower_bound(offset);
    if (next != free_.end() && next->first == offset + length) {
      length += next->second;
      next = free_.erase(next);
    }
    if (next != free_.begin()) {
      const auto previous = std::prev(next);
      if (previous->first + previous->second == offset) {
        previous->second += length;
        return;
      }
    }
    try {
      free_.emplace(offset, length);
    } catch (const std::bad_alloc&) {
    }
  }

 private:
  std::map<std::size_t, std::size_t> free_;  // offset to length
};

}  // namespace halocline
