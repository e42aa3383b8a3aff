// The sizes of the hash tables that rows of a product are binned by.
#pragma once

#include "lib/base/types.hpp"

namespace halocline::sparse {

inline constexpr Index strip_rows = 64;  // sorted into bins by one thread

// Tables of the bins; those of the last one are as large as they must be, in the device's memory.
inline constexpr int bins = 6;
HALOCLINE_HD constexpr Index slots_of_bin(int bin) {
  return bin < 4 ? Index{64} << bin : bin == 4 ? Index{4096} : Index{0};
}
// Entries that a table takes: three quarters, beyond which looking for a place takes long.
HALOCLINE_HD constexpr Index room_of(Index slots) { return slots / 4 * 3; }
HALOCLINE_HD inline int bin_of(Index entries) {
  for (int bin = 0; bin < bins - 1; ++bin)
    if (entries <= room_of(slots_of_bin(bin))) return bin;
  return bins - 1;
}

}  // namespace halocline::sparse
