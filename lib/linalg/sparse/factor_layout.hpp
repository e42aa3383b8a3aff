// FactorRows: the rows of B that a part needs for a product A B, and the pattern of a product that is known.
#pragma once

#include "lib/linalg/sparse/crs_layout.hpp"

namespace halocline::sparse {

// Rows of B under the local column numbers of A: fetched ones below, the part's own, fetched ones above.
struct FactorRows {
  CrsView<double> own, fetched;
  Index below;    // how many of the fetched rows lie below the own ones
  Index columns;  // local columns of B

  HALOCLINE_HD bool is_own(LocalIndex k) const { return k >= below && k < below + own.rows(); }
  // Of the row among the own ones, or among the fetched ones.
  HALOCLINE_HD Index place(LocalIndex k) const {
    if (is_own(k)) return k - below;
    return k < below ? k : k - own.rows();
  }
  HALOCLINE_HD Index entries(LocalIndex k) const {
    const Index* ptr = (is_own(k) ? own.ptr.data : fetched.ptr.data) + place(k);
    return ptr[1] - ptr[0];
  }
};

// The pattern of a product that is known already; `column_of_b`: from its columns to those of B, null where they are
// the same.
struct KnownProduct {
  View<const Index, 1> ptr;
  View<const LocalIndex, 1> col;
  const LocalIndex* column_of_b;
  View<double, 1> val;
};

}  // namespace halocline::sparse
