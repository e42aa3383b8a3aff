// Windows: which windows of 128 rows a product does while ghosts travel, and which afterwards. A part may store rows of
// others behind its own ones, see RowPattern.
#pragma once

#include <vector>

#include "lib/base/array.hpp"

namespace halocline::sparse {

// with_others: those with ghosts and all rows of others; own: all but rows of others, at once.
enum class Windows { inside, with_ghosts, with_others, own };

// Windows of one part, done by one launch.
struct WindowSet {
  Array<LocalIndex, 1> list;  // their numbers; empty where they are all windows of the part
  Index count = 0;
  Index rows = 0;                    // rows stored from this one on are left out
  Index entries = 0;                 // of their rows, long ones left out
  Array<LocalIndex, 1> piece_begin;  // pieces of about equal work for threads of the host, and the end; empty: none
  Index pieces() const { return piece_begin.size() - 1; }
};

struct WindowSets {
  WindowSet inside, with_ghosts, own;
  WindowSet with_others;  // only where there are rows of others
  bool has_others = false;
  const WindowSet& of(Windows which) const {
    if (which == Windows::own) return own;
    if (which == Windows::inside) return inside;
    return which == Windows::with_others && has_others ? with_others : with_ghosts;
  }
};

// Rows that are stored: own ones, then those of others.
struct StoredCounts {
  Index own, all;
};

// Divides windows by `late`: those that need ghosts or long rows. `entries`: of every window.
WindowSets divide_windows(const ExecutorPtr& executor, const StoredCounts& rows, const std::vector<Index>& entries,
                          const std::vector<unsigned char>& late);

}  // namespace halocline::sparse
