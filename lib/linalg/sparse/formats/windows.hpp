// Windows: which windows of 128 rows a product does while ghosts travel, and which afterwards.
#pragma once

#include <vector>

#include "lib/base/array.hpp"

namespace halocline::sparse {

enum class Windows { inside, with_ghosts };

// Windows of one part, done by one launch.
struct WindowSet {
  Array<LocalIndex, 1> list;  // their numbers; empty where they are all windows of the part
  Index count = 0;
  Index entries = 0;                 // of their rows, long ones left out
  Array<LocalIndex, 1> piece_begin;  // pieces of about equal work for threads of the host, and the end; empty: none
  Index pieces() const { return piece_begin.size() - 1; }
};

struct WindowSets {
  WindowSet inside, with_ghosts;
  const WindowSet& of(Windows which) const { return which == Windows::inside ? inside : with_ghosts; }
};

// Divides windows by `late`: those that need ghosts or long rows. `entries`: of every window.
WindowSets divide_windows(const ExecutorPtr& executor, const std::vector<Index>& entries,
                          const std::vector<unsigned char>& late);

}  // namespace halocline::sparse
