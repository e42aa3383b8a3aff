// Bodies that sort rows by their lengths within windows; see storage_order.hpp.
#pragma once

#include "lib/base/view.hpp"

namespace halocline::sparse {

// Rows of more entries are long: they are kept apart, and count as empty here.
inline constexpr Index most_entries = 255;

HALOCLINE_HD inline int short_length(const Index* ptr, Index row) {
  const Index entries = ptr[row + 1] - ptr[row];
  return entries > most_entries ? 0 : static_cast<int>(entries);
}

// Rows w * sigma ... (w + 1) * sigma - 1 by falling length, equal ones by their numbers.
struct SortWindowBody {
  const Index* ptr;
  Index rows, sigma;
  LocalIndex *place, *row_at;

  HALOCLINE_HD Index end_of(Index window) const { return (window + 1) * sigma < rows ? (window + 1) * sigma : rows; }
  HALOCLINE_HD void put(Index row, Index at) const {
    place[row] = static_cast<LocalIndex>(at);
    row_at[at] = static_cast<LocalIndex>(row);
  }

  HALOCLINE_HD void operator()(Index window, Index j) const {
    const Index first = window * sigma, end = end_of(window), row = first + j;
    if (row >= end) return;
    const int own = short_length(ptr, row);
    Index at = first;
    for (Index other = first; other < end; ++other) {
      const int length = short_length(ptr, other);
      at += length > own || (length == own && other < row) ? 1 : 0;
    }
    put(row, at);
  }

  // The same by counting.
  void row(Index window, Index /*begin*/, Index /*end*/) const {
    const Index first = window * sigma, end = end_of(window);
    Index start[most_entries + 2] = {};  // of rows of length n, in start[most_entries - n]
    for (Index row = first; row < end; ++row) ++start[most_entries - short_length(ptr, row) + 1];
    for (Index n = 1; n <= most_entries; ++n) start[n] += start[n - 1];
    for (Index row = first; row < end; ++row) put(row, first + start[most_entries - short_length(ptr, row)]++);
  }
};

}  // namespace halocline::sparse
