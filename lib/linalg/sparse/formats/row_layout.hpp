// Rows of a part as products read them: in slices or compressed, and long ones apart.
#pragma once

#include "lib/base/view.hpp"

namespace halocline::sparse {

// Rows of a slice; of a window, which is what a product does at a time.
inline constexpr Index slice_rows = 32, window_rows = 128;

// SELL-32: entry j of the row stored at n is in slice n / 32 at start[slice] + 32 j + n % 32. Slices are as wide as
// their longest row; what a shorter row has no entries for holds its last column and the value 0. A row without entries
// in a slice that is not empty takes any column.
template <class T>
struct SlicesView {
  const Index* start;  // of every slice, and the end; a whole number of windows
  const LocalIndex* col;
  const T* val;
  const unsigned char* length;  // of every row
};

// Entries of the row stored at n are start[n] ... start[n + 1] - 1.
template <class T>
struct CompressedView {
  const Index* start;  // a whole number of windows, and the end
  const LocalIndex* col;
  const T* val;
};

// Sums of the long rows of every window, known before the others.
template <class T>
struct LongSums {
  const LocalIndex* begin;  // of every window, and the end; null where no row is long
  const LocalIndex* place;  // where the row is stored
  const T* sum;
};

}  // namespace halocline::sparse
