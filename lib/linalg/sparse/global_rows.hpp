// GlobalRows: rows of one part with columns by their global numbers, as sources and readers make them.
#pragma once

#include "lib/base/array.hpp"

namespace halocline::sparse {

// In the memory of the part's executor. ptr has one entry more than the part owns rows and begins with 0; in a row,
// columns ascend and are distinct.
struct GlobalRows {
  Array<Index, 1> ptr;
  Array<Index, 1> col;
  Array<double, 1> val;
};

}  // namespace halocline::sparse
