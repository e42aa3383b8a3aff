// CrsView: compressed rows of one part, as kernels see them.
#pragma once

#include "lib/base/view.hpp"

namespace halocline::sparse {

// Entries of row i are ptr(i) ... ptr(i + 1) - 1. Columns are local: see DistCrs.
template <class T>
struct CrsView {
  View<const Index, 1> ptr;  // one more than there are rows; the first is 0
  View<const LocalIndex, 1> col;
  View<const T, 1> val;
  HALOCLINE_HD Index rows() const { return ptr.extent[0] - 1; }
  HALOCLINE_HD Index entries() const { return col.extent[0]; }
};

}  // namespace halocline::sparse
