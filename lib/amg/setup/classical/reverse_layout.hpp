// ReverseLists: see reverse_entries.hpp.
#pragma once

#include "lib/base/types.hpp"

namespace halocline::amg {

// Of ghost g: entries ptr[g] ... ptr[g + 1] - 1, ascending by the own row, which counts from the part's first.
struct ReverseLists {
  const Index *ptr, *row;
  const double* value;
  // The coupling of ghost g to an own row; 0: there is none.
  HALOCLINE_HD double find(Index g, Index own) const {
    Index first = ptr[g], end = ptr[g + 1];
    while (first < end) {
      const Index middle = (first + end) / 2;
      if (row[middle] == own) return value[middle];
      if (row[middle] < own) {
        first = middle + 1;
      } else {
        end = middle;
      }
    }
    return 0;
  }
};

}  // namespace halocline::amg
